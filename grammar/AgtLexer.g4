// The tokens of agt. No actions and no predicates.
//
// Every brace pushes or pops a mode, so that the `}` that ends an interpolation
// returns to the string around it; the lexer's user must make popMode harmless
// at the bottom of the stack (a stray `}`). In strings that end on their line a
// line break inside an interpolation is found on the tokens afterwards.
//
// Every input makes tokens: the rules named BAD_... and the last ones of each
// mode catch what is wrong, and the checks on tokens explain it.
lexer grammar AgtLexer;

// Reserved words.
LET: 'let';
VAR: 'var';
IF: 'if';
ELSE: 'else';
MATCH: 'match';
FOR: 'for';
IN: 'in';
WHILE: 'while';
LOOP: 'loop';
FORK: 'fork';
JOIN: 'join';
ASK: 'ask';
APPROVE: 'approve';
SLEEP: 'sleep';
EMIT: 'emit';
RECEIVE: 'receive';
RETURN: 'return';
YIELD: 'yield';
FAIL: 'fail';
ASSERT: 'assert';
TRY: 'try';
GOTO: 'goto';
REPEAT: 'repeat';
CARRYING: 'carrying';
TRUE: 'true';
FALSE: 'false';
NONE: 'none';
IMPORT: 'import';
CONST: 'const';
RECORD: 'record';
ENUM: 'enum';
TARGET: 'target';
MESH: 'mesh';
MODEL: 'model';
WEIGHTS: 'weights';
GRAPH: 'graph';
LLM: 'llm';
TOOL: 'tool';
AGENT: 'agent';
FN: 'fn';
TEST: 'test';
STREAM: 'stream';
LIVE: 'live';

// Words of some rules, ordinary names everywhere else.
ALL: 'all';
BALANCE: 'balance';
BUDGET: 'budget';
BY: 'by';
COLLECT: 'collect';
DEADLINE: 'deadline';
DEDUPE: 'dedupe';
DESC: 'desc';
EVIDENCE: 'evidence';
FANIN: 'fanin';
FIRST: 'first';
FLATTEN: 'flatten';
FORMAT: 'format';
HANDLES: 'handles';
KEY: 'key';
MAX: 'max';
MIN: 'min';
MOCK: 'mock';
NODE: 'node';
ON: 'on';
OVER: 'over';
POLICY: 'policy';
QUORUM: 'quorum';
RANK: 'rank';
REDUCE: 'reduce';
SHARD: 'shard';
START: 'start';
TAKE: 'take';
VIA: 'via';
VISITS: 'visits';
WAS: 'was';
WHERE: 'where';
WIDTH: 'width';
WITH: 'with';
WITHIN: 'within';

NAME: [A-Za-z_] [A-Za-z0-9_]*;

fragment Digits: [0-9] ('_'? [0-9])*;
fragment Exponent: [eE] [+-]? Digits;
fragment Number: Digits ('.' Digits)? Exponent?;
fragment Size: [KMGTP]? 'B' | [KMGTP] 'iB';
fragment WordChar: [A-Za-z0-9_];

INT: Digits ([KMG] 'i')?;
FLOAT: Digits '.' Digits Exponent? | Digits Exponent;
DURATION: Number ('ns' | 'us' | 'ms' | 's' | 'm' | 'h' | 'd');
QUANTITY: Number (Size '/s'? | [KMGTP]? 'FLOPS' | [kMG]? 'Hz');

OROR: '||';
ANDAND: '&&';
EQ: '==';
NE: '!=';
LE: '<=';
GE: '>=';
LT: '<';
GT: '>';
AMP: '&';
DOTDOT: '..';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
NOT: '!';
ASSIGN: '=';
FATARROW: '=>';
ARROW: '->';
LPAREN: '(';
RPAREN: ')';
LBRACK: '[';
RBRACK: ']';
LBRACE: '{' -> pushMode(DEFAULT_MODE);
RBRACE: '}' -> popMode;
COMMA: ',';
SEMI: ';';
COLON: ':';
DOT: '.';
QUESTION: '?';

STRING_OPEN: '"' -> pushMode(LINE_STRING);
BLOCK_OPEN: '"""' -> type(STRING_OPEN), pushMode(BLOCK_STRING);

SPACE: [ \t\r\n\f]+ -> channel(HIDDEN);
LINE_COMMENT: '//' ~[\r\n]* -> channel(HIDDEN);
BLOCK_COMMENT: '/*' (~'*' | '*'+ ~[*/])* '*'+ '/' -> channel(HIDDEN);
BAD_COMMENT: '/*' (~'*' | '*'+ ~[*/])* '*'*;

// After all rules that it may tie with: a number glued to what is no unit.
BAD_NUMBER: Number WordChar+ | Number Size '/s' WordChar+;
// Any other character.
BAD_CHAR: .;

mode LINE_STRING;

STRING_CLOSE: '"' -> popMode;
STRING_TEXT: ~["\\{}\r\n]+;
STRING_ESCAPE: '\\' [ntr\\"] | '\\u{' HexDigit+ '}';
STRING_BRACE: '{{' | '}}' | '}';
INTERPOLATION: '{' -> pushMode(DEFAULT_MODE);
BAD_ESCAPE: '\\u' ('{' HexDigit*)? | '\\' ~[\r\n]?;
// A line break: the string was not closed.
BAD_STRING: [\r\n] -> popMode;
fragment HexDigit: [0-9A-Fa-f];

mode BLOCK_STRING;

BLOCK_CLOSE: '"""' -> type(STRING_CLOSE), popMode;
BLOCK_QUOTE: '"' -> type(STRING_TEXT);
BLOCK_TEXTS: ~["\\{}]+ -> type(STRING_TEXT);
BLOCK_ESCAPE: ('\\' [ntr\\"] | '\\u{' HexDigit+ '}') -> type(STRING_ESCAPE);
BLOCK_BRACE: ('{{' | '}}' | '}') -> type(STRING_BRACE);
BLOCK_INTERPOLATION: '{' -> type(INTERPOLATION), pushMode(DEFAULT_MODE);
BAD_BLOCK_ESCAPE: ('\\u' ('{' HexDigit*)? | '\\' .?) -> type(BAD_ESCAPE);
