import type { Catalogue } from './catalogue-entry.js'

/** What `toolgen import` reports of what it reads. */
export const importCatalogue: Catalogue = {
  TG6001: {
    title: 'A capture is no answer to tools/list, or lists no usable tool',
    cause:
      'The JSON has no list `tools`, or no tool of the list can be imported. The answer alone and the whole message of the ' +
      'protocol are both understood. Nothing was written.',
    fix: 'Give what the server answered:\n\n    { "tools": [{ "name": "read_file", "inputSchema": { "type": "object" } }] }',
  },
  TG6002: {
    title: 'A tool is listed more than once',
    cause:
      'Calls name a tool, so only one of several tools that a server lists under a name can be reached: the first entry is ' +
      'taken. A function that is described twice in the same way is taken once.',
    fix: 'Nothing here: whoever lists the tools should list each one once.',
  },
  TG6003: {
    title: 'A tool is left out of an import',
    cause:
      'Its schema of the arguments cannot be read, no value fits it, or it allows more than objects. The other tools are ' +
      'imported.',
    fix: 'Correct the schema where it comes from, or declare the tool by hand in a toolset of its own.',
  },
  TG6004: {
    title: 'The result schema of a tool cannot be used',
    cause: 'The schema of the result cannot be read. The tool is imported, and its result may be any JSON.',
    fix: 'Nothing here: whoever describes the tool should give a schema that is one.',
  },
  TG6005: {
    title: 'An imported tool has no description',
    cause: 'Models choose tools by their descriptions. The title of the tool, or its name, stands in for one.',
    fix: 'Describe the tool where it comes from: in the server, in the description of the function, or in the OpenAPI document.',
  },
  TG6006: {
    title: 'Models see an imported tool under another name',
    cause:
      'Models would see the name of a function, and `toolset_tool` for a tool of a server. Such names consist of ASCII letters, digits, `_` and `-`, are 64 characters long at ' +
      'most, and differ in more than case; this one would not. Calls reach the server under its own name.',
    fix: 'Nothing, or choose a name where an agent uses the toolset:\n\n    fromMcp(files, { rename: { readFile: "read" } })',
  },
  TG6007: {
    title: 'A snapshot does not say where it comes from',
    cause:
      'A word of the command, or a part of the address, seems to hold a secret, which must not be checked in; or a document ' +
      'of OpenAPI is outside of the folder in which the command works, where the next machine does not have it. Everything else ' +
      'is written.',
    fix:
      'Name a variable of the environment in the place of a secret; the snapshot then holds the name:\n\n' +
      "    toolgen import mcp files -- npx -y server --api-key '${API_KEY}'\n\n" +
      'Copy a document into the project, or name it with `--from` at each import.',
  },
  TG6010: {
    title: 'An MCP server does not list what was imported',
    cause:
      'A tool is gone or new, its schema takes or answers something else, or it is described otherwise. The generated ' +
      'code knows the tools as they were captured.',
    fix: 'Look at what changed, import again, and see what it does to the code:\n\n    toolgen import mcp files\n    toolgen generate',
  },
  TG6011: {
    title: 'A snapshot is missing or no JSON',
    cause: 'An import writes a snapshot and a module. The module stands there, but its snapshot cannot be read.',
    fix: 'Restore it from version control, or import again:\n\n    toolgen import mcp files -- npx -y server .',
  },
  TG6012: {
    title: 'A tool of a server runs as a task alone',
    cause:
      'The server says `taskSupport: required`: it takes a call of the tool only where the client asks for a task and comes ' +
      'back for its result. The callers here make plain calls, which it refuses.',
    fix: 'Leave the tool out where an agent uses the toolset:\n\n    fromMcp(everything, { only: ["echo"] })',
  },
  TG6013: {
    title: 'A default of an imported tool does not fit its own schema',
    cause:
      'A default takes the place of a value that nobody sent, so it must be such a value: `default: null` beside ' +
      '`type: string` is none. The tool is imported without it; where other defaults of the tool do not fit for another ' +
      'reason than their type, without any of them.',
    fix: 'Nothing here: whoever runs the tool applies a default of their own. The description should have one that fits.',
  },
  TG6014: {
    title: 'A listed tool has no name',
    cause: 'A call names its tool, so nobody can call a tool without a name. The other tools are imported.',
    fix: 'Nothing here: whoever makes the server should name the tool.',
  },
  TG6020: {
    title: 'A source describes no functions',
    cause:
      'There is no function in it, none that can be imported, or something without a name where one is expected. Tools of ' +
      'OpenAI, Anthropic and Gemini are understood, alone, in lists, in requests and as JSON lines. Nothing was written.',
    fix:
      'Give what models are shown:\n\n' +
      '    [{ "name": "get_weather", "description": "...", "parameters": { "type": "object", "properties": {} } }]',
  },
  TG6021: {
    title: 'An entry is no function and is left out',
    cause:
      'Beside functions, requests list tools of other kinds: those that the provider runs itself, such as a search of the web.',
    fix: 'Nothing, if it is one of these; else give it a name and a schema of its arguments.',
  },
  TG6022: {
    title: 'A function has the name of another one',
    cause:
      'Different descriptions of one name are different tools. The second one and those after it get a number: `search_2`.',
    fix: 'Give each function a name of its own, and import again.',
  },
  TG6201: {
    title: 'A source is no OpenAPI document',
    cause:
      'It has neither `openapi: 3.x` nor `swagger: "2.0"`, no `paths`, or no operation that can be imported. Nothing was ' +
      'written. Documents of OpenAPI 3.0 and 3.1 and of Swagger 2.0 are understood, as JSON and as YAML.',
    fix: 'Give the document of the API:\n\n    toolgen import openapi pets --from openapi.yaml',
  },
  TG6202: {
    title: 'An operation is left out of an import',
    cause:
      'A reference in its parameters or its body leads nowhere or to itself, its path has a `{name}` for which there is no ' +
      'parameter, its method is `TRACE`, or a part of it is not what OpenAPI says. The other operations are imported.',
    fix: 'Correct the document where it comes from, or declare the tool by hand in a toolset of its own.',
  },
  TG6203: {
    title: 'A reference leads to another document',
    cause:
      'References to files and addresses are not followed: what is imported must be the same on every machine and every ' +
      'day. An operation that needs such a part for its arguments is left out; where its result needs it, the result may be ' +
      'any JSON.',
    fix: 'Bundle the documents into one, with the tool that the API is described with, and import that.',
  },
  TG6204: {
    title: 'An operation has no name of its own',
    cause:
      'Without an `operationId` the tool is named after the method and the path: `GET /pets/{id}` is `get_pets_by_id`.',
    fix: 'Nothing, or give the operation an `operationId`: it keeps the name of the tool when its path changes.',
  },
  TG6205: {
    title: 'An operation has the name of another one',
    cause: 'An `operationId` names one operation. The second one and those after it get a number: `getPet_2`.',
    fix: 'Give each operation an `operationId` of its own, and import again.',
  },
  TG6206: {
    title: 'A field of a tool is not named as in its API',
    cause:
      'The parameters and the fields of the body of an operation are fields of one payload. Where two have one name, the ' +
      'second one says where it belongs: `body_name`. Names with other characters than ASCII letters, digits, `_`, `.` and ' +
      '`-`, or longer than 64 characters, are refused by models; `filter[status]` is `filter_status`.',
    fix: 'Nothing: requests carry the names that the API knows.',
  },
  TG6207: {
    title: 'A document does not say where its API is',
    cause:
      'It names no server, or one that is relative to the address of a document that was read from a file. It is a warning ' +
      'where the address is none that can be asked: with a `#`, with a variable without a default, with a password, or of ' +
      'another scheme than HTTP.',
    fix: 'Give the address where the toolset is bound:\n\n    toolsets: { pets: { baseUrl: "https://example.com/v1" } }',
  },
  TG6208: {
    title: 'A pattern of a document is left out',
    cause:
      'JavaScript does not accept it as a regular expression, or it has a back reference and cannot be matched in linear ' +
      'time. The field is imported without the pattern; the API or the server still checks it.',
    fix: 'Write the pattern as ECMA-262 does, without back references.',
  },
  TG6209: {
    title: 'A parameter or a body is left out of an import',
    cause:
      'The parameter is declared twice in one list, is a part of a path that has no such part, has a name that no header ' +
      'can have, a media type that is neither JSON nor a text, or a schema that no value fits; or it is a header of the ' +
      'connection, such as `Host`. A request of `GET` or `HEAD` has no body.',
    fix: 'Correct the document where it comes from, and import again.',
  },
  TG6210: {
    title: 'An integer of a document is rounded',
    cause:
      'JavaScript has exact integers up to 9007199254740991, and reads one beyond as the nearest that it has. The bound, the ' +
      'default or the value of an enumeration is that one, in the code and in what models read.',
    fix: 'Nothing, where it is a bound that no value comes near. Else let such values travel as text:\n\n    { type: string, pattern: "^[0-9]+$" }',
  },
  TG6211: {
    title: 'A key of a document stands more than once',
    cause:
      'An object of JSON has each key once. Of several the last one counts, with all that it holds; what the others hold is ' +
      'not imported. YAML with such keys is refused.',
    fix: 'Correct the document where it comes from: two operations of a path, or two schemas, often have one name.',
  },
  TG6212: {
    title: 'A parameter, a body or an answer is text whose schema is not used',
    cause:
      'Requests are written, and answers are read, as JSON, as forms and as bytes; everything else is text: XML and YAML too. ' +
      'A schema of such a text describes what stands in it, for which there is no writer and no reader.',
    fix: 'Give the operation a body of JSON, if the API takes one. Else tell models in a `description` of the body how to write it.',
  },
  TG6213: {
    title: 'An operation is asked without credentials',
    cause:
      'Every way in which the document lets callers prove who they are is one that toolgen does not send: it sends keys in ' +
      'queries, headers and cookies, bearer tokens, and names with passwords; not HTTP digest nor mutual TLS.',
    fix: 'Give `headers` or a `fetch` of your own where the toolset is bound:\n\n    toolsets: { pets: { fetch: digestFetch } }',
  },
  TG6214: {
    title: 'A parameter has a style that OpenAPI has not there',
    cause:
      'It is written as parameters in its place usually are, which is the same for a text, a number or a boolean. A list or ' +
      'an object may not be what the API reads.',
    fix: 'Correct the document where it comes from, and import again.',
  },
  TG6215: {
    title: 'No value fits a variant of a union',
    cause:
      'Schemas that must all apply contradict each other, for example two lists of values for `type` without a common value. ' +
      'Its type in the generated code has a field `never`. The other variants of the union can be used.',
    fix: 'Correct the document where it comes from, and import again:\n\n    allOf: [{ $ref: "#/components/schemas/Item" }, { properties: { type: { const: "message" } } }]',
  },
  TG6216: {
    title: 'A security scheme has a name that no header or cookie can have',
    cause:
      'Every request with the credential would fail: the name of a header or cookie has no spaces, line breaks or characters ' +
      'such as `:`. Nothing was written. In YAML, a name in a block (`name: |`) ends with a line break.',
    fix: 'Correct the document, and import again:\n\n    securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }',
  },
  TG6023: {
    title: 'An example of a function does not fit its schema',
    cause: 'Examples are shown to models and to people, so the codec must take them. The others are imported.',
    fix: 'Correct the example, or the schema, and import again.',
  },
  TG6024: {
    title: 'An import forgets where its functions came from',
    cause:
      'An earlier import read a file, whose path the snapshot names, so that it could be read again. This one read standard ' +
      'input, or a file outside the folder in which the command works, to which no path of a snapshot leads.',
    fix: 'Nothing, where the functions come from elsewhere from now on. Else import the file again:\n\n    toolgen import functions weather --from tools.json',
  },
}
