"""The memory server that solve.agt names, as much of it as a test needs: a graph
in the file $MEMORY. Started as `npx -y @modelcontextprotocol/server-memory`."""

import json
import os
import pathlib
import sys

assert sys.argv[1:] == ["-y", "@modelcontextprotocol/server-memory"], sys.argv
sys.argv[1:] = []
sys.path.insert(0, os.path.dirname(__file__))
import mcp_server

STRING = {"type": "string"}
ENTITY = {"type": "object", "properties": {"name": STRING, "entityType": STRING,
                                           "observations": {"type": "array", "items": STRING}},
          "required": ["name", "entityType", "observations"]}
ENTITIES = {"type": "object", "properties": {"entities": {"type": "array", "items": ENTITY}}, "required": ["entities"]}
memory = pathlib.Path(os.environ["MEMORY"])


def call(name, args, meta):
    entities = json.loads(memory.read_text()) if memory.exists() else []
    if name == "create_entities":
        entities += args["entities"]
        memory.write_text(json.dumps(entities))
    graph = {"entities": entities, "relations": []}
    return mcp_server.text(json.dumps(graph), structuredContent=graph)


mcp_server.TOOLS = [{"name": "read_graph", "inputSchema": {"type": "object", "properties": {}}, "outputSchema": ENTITIES},
                    {"name": "create_entities", "inputSchema": ENTITIES}]
mcp_server.call = call
mcp_server.serve()
