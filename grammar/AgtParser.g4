// The grammar of agt, section 10 of the language's description. No actions, no
// predicates, no ambiguity.
//
// Binary operators come in three layers that keep the parse tree flat: within
// `expr` and `arith` the parser of frontend/Parse sorts a flat list of operands
// by precedence, and refuses chains of `..`. Comparisons have a layer of their
// own because they do not chain: that is what tells `a < b` from `parse<T>(x)`.
parser grammar AgtParser;

options {
  tokenVocab = AgtLexer;
}

file: (importDecl | decl)* EOF;

importDecl: IMPORT string SEMI;

// Declarations.

decl: (
    constDecl
    | recordDecl
    | enumDecl
    | targetDecl
    | meshDecl
    | modelDecl
    | weightsDecl
    | llmDecl
    | graphDecl
    | toolDecl
    | fnDecl
    | agentDecl
    | testDecl
  ) SEMI?;

constDecl: CONST name ASSIGN expr SEMI;
recordDecl: RECORD name LBRACE (field (SEMI field)* SEMI?)? RBRACE;
field: word COLON type (IN expr)?;
enumDecl: ENUM name LBRACE word (COMMA word)* COMMA? RBRACE;
targetDecl: TARGET name (ASSIGN expr)? props;
meshDecl: MESH name props;
modelDecl: MODEL name props;
weightsDecl: WEIGHTS name ASSIGN string FORMAT name;
llmDecl: LLM name ASSIGN (GRAPH name | name) props;
graphDecl: GRAPH name params ARROW results whereClause? onClause? block;
results: type | LPAREN result (COMMA result)* RPAREN;
result: (name COLON)? type;
whereClause: WHERE whereDim (COMMA whereDim)*;
whereDim: name ASSIGN dim;
onClause: ON name;
dim: dimAtom ((PLUS | MINUS | STAR | SLASH | PERCENT) dimAtom)*;
dimAtom: INT | name (DOT word)? | LPAREN dim RPAREN;
toolDecl: TOOL name (params ARROW type props | ASSIGN name toolBody);
toolBody: LBRACE (prop SEMI | innerTool)* RBRACE;
innerTool: TOOL word params ARROW type props SEMI?;
fnDecl: FN name params ARROW type block;
agentDecl: AGENT name params ARROW type agentBody;
agentBody: LBRACE (agentProp | stmt | agentNode | agentStart)* RBRACE;
agentProp: name (name | string)? COLON value (COMMA value)* SEMI;
agentNode: NODE name params? block;
agentStart: START name (MAX expr VISITS)? SEMI;
testDecl: TEST string block;

params: LPAREN (param (COMMA param)* COMMA?)? RPAREN;
param: name COLON type;

// Types.

type: name (LT typeArg (COMMA typeArg)* GT)? QUESTION*;
typeArg: type | LBRACK (expr (COMMA expr)* COMMA?)? RBRACK | MAX sum;
// The + - level of expr.
sum: unary ((PLUS | MINUS | STAR | SLASH | PERCENT) unary)*;

// Properties.

props: LBRACE (prop (SEMI prop)* SEMI?)? RBRACE;
prop: word (name | string)? COLON value (COMMA value)*;
value: name ASSIGN expr | props | failWord | expr more*;
// `on_change: fail`: the one reserved word that is a value.
failWord: FAIL;
more:
  number
  | DURATION
  | QUANTITY
  | string
  | TRUE
  | FALSE
  | NONE
  | nameNotOn (DOT word)* (LPAREN (value (COMMA value)*)? RPAREN)?;

// Statements.

block: LBRACE stmt* RBRACE;
stmt:
  letStmt
  | varStmt
  | assignStmt
  | ifStmt
  | matchStmt
  | forStmt
  | whileStmt
  | loopStmt
  | repeatStmt
  | tryStmt
  | returnStmt
  | yieldStmt
  | failStmt
  | assertStmt
  | gotoStmt
  | sleepStmt
  | emitStmt
  | mockStmt
  | shardStmt
  | exprStmt
  | emptyStmt;

letStmt:
  LET (name | LPAREN name (COMMA name)* RPAREN) (WAS name)? (COLON type)? ASSIGN expr SEMI;
varStmt: VAR name (COLON type)? ASSIGN expr SEMI;
assignStmt: name ASSIGN expr SEMI;
ifStmt: IF LPAREN expr RPAREN block (ELSE (block | ifStmt))?;
matchStmt: MATCH expr LBRACE stmtArm+ RBRACE;
stmtArm: pattern FATARROW block;
forStmt: FOR name IN expr block;
whileStmt: WHILE LPAREN expr RPAREN (MAX expr)? block;
loopStmt: LOOP name (MAX expr)? block;
repeatStmt: REPEAT name IN expr (CARRYING name (COMMA name)*)? block;
tryStmt: TRY block ELSE name block;
returnStmt: RETURN expr SEMI;
yieldStmt: YIELD expr SEMI;
failStmt: FAIL expr SEMI;
assertStmt: ASSERT expr (COMMA expr)? SEMI;
gotoStmt: GOTO name (LPAREN args RPAREN)? SEMI;
sleepStmt: SLEEP expr SEMI;
emitStmt: EMIT expr SEMI;
mockStmt: MOCK name string SEMI;
shardStmt: SHARD name (COMMA name)* shardBy (COMMA shardBy)* SEMI;
shardBy: BY name OVER name (COMMA nameNotBy)* (BALANCE name)? (VIA name)?;
exprStmt: expr SEMI;
emptyStmt: SEMI;

pattern:
  ELSE
  | NONE
  | TRUE
  | FALSE
  | MINUS? number
  | DURATION
  | string
  | name (DOT word)?;

// Expressions.

expr: comparison ((OROR | ANDAND) comparison)*;
comparison: arith ((EQ | NE | LT | LE | GT | GE) arith)?;
arith: unary ((AMP | DOTDOT | PLUS | MINUS | STAR | SLASH | PERCENT) unary)*;
unary: (NOT | MINUS)* (receive | operand suffix*);
receive: RECEIVE name ARROW type WITHIN unary;
suffix:
  LPAREN args RPAREN
  | LBRACK expr (COMMA expr)* RBRACK
  | DOT word
  | ON name;
operand:
  number
  | DURATION
  | QUANTITY
  | string
  | TRUE
  | FALSE
  | NONE
  | name
  | parseCall
  | tuple
  | list
  | recordLit
  | fork
  | join
  | ask
  | approve
  | matchExpr;

parseCall: name LT type GT LPAREN args RPAREN;
// One element is just itself.
tuple: LPAREN expr (COMMA expr)* COMMA? RPAREN;
list: LBRACK (expr (comprehension | (COMMA expr)* COMMA?))? RBRACK;
comprehension: FOR name IN expr (IF expr)?;
recordLit: name LBRACE fieldInit (SEMI fieldInit)* SEMI? RBRACE;
fieldInit: word COLON expr;
fork: FORK name IN expr forkClause* block;
forkClause:
  KEY expr
  | WIDTH expr
  | MAX expr
  | DEADLINE expr
  | POLICY (ALL | FIRST | COLLECT LPAREN MIN expr RPAREN | QUORUM LPAREN expr RPAREN);
join: JOIN expr LBRACE (joinOp (SEMI joinOp)* SEMI?)? RBRACE;
joinOp:
  FLATTEN
  | DEDUPE BY word
  | RANK BY word DESC?
  | TAKE expr
  | EVIDENCE HANDLES
  | REDUCE FANIN expr WITH name
  | BUDGET expr;
ask: ASK name (WITH name)? (ARROW type)? props;
approve: APPROVE expr BY expr (WITHIN expr)? ELSE (TRUE | FALSE);
matchExpr: MATCH expr LBRACE exprArm+ RBRACE;
exprArm: pattern FATARROW LBRACE stmt* expr RBRACE;

args: (arg (COMMA arg)* COMMA?)?;
arg: (word ASSIGN)? expr;

number: INT | FLOAT;
string: STRING_OPEN (STRING_TEXT | STRING_ESCAPE | STRING_BRACE | INTERPOLATION expr RBRACE)* STRING_CLOSE;

// Words.

name: nameNotByOn | BY | ON;
nameNotOn: nameNotByOn | BY;
nameNotBy: nameNotByOn | ON;
nameNotByOn:
  NAME
  | ALL
  | BALANCE
  | BUDGET
  | COLLECT
  | DEADLINE
  | DEDUPE
  | DESC
  | EVIDENCE
  | FANIN
  | FIRST
  | FLATTEN
  | FORMAT
  | HANDLES
  | KEY
  | MAX
  | MIN
  | MOCK
  | NODE
  | OVER
  | POLICY
  | QUORUM
  | RANK
  | REDUCE
  | SHARD
  | START
  | TAKE
  | VIA
  | VISITS
  | WAS
  | WHERE
  | WIDTH
  | WITH
  | WITHIN;
word: name | reserved;
reserved:
  LET
  | VAR
  | IF
  | ELSE
  | MATCH
  | FOR
  | IN
  | WHILE
  | LOOP
  | FORK
  | JOIN
  | ASK
  | APPROVE
  | SLEEP
  | EMIT
  | RECEIVE
  | RETURN
  | YIELD
  | FAIL
  | ASSERT
  | TRY
  | GOTO
  | REPEAT
  | CARRYING
  | TRUE
  | FALSE
  | NONE
  | IMPORT
  | CONST
  | RECORD
  | ENUM
  | TARGET
  | MESH
  | MODEL
  | WEIGHTS
  | GRAPH
  | LLM
  | TOOL
  | AGENT
  | FN
  | TEST
  | STREAM
  | LIVE;
