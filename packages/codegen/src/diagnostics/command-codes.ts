import type { Catalogue } from './diagnostic.js'

/** Diagnostics of the command line itself. */
export const commandCatalogue: Catalogue = {
  TG0001: {
    title: 'The command line is not understood',
    cause: 'A command, an option or a value is unknown, missing or one too many.',
    fix: 'The commands and their options are listed by:\n\n    toolgen --help\n    toolgen generate --help',
  },
  TG0002: {
    title: 'toolgen init would overwrite files',
    cause: 'Some of the files to be written exist already. Nothing was written.',
    fix: 'Choose an empty folder or other names:\n\n    toolgen init --dir my-agent --toolset tickets',
  },
  TG0003: {
    title: 'There is no such diagnostic or rule',
    cause:
      'toolgen explain was asked for a code, or `toolgen lint --rule` for a rule, that this version does not know.',
    fix: 'Codes are written like TG5001: the letters TG and four digits. Rules are named like unplumbed-id; the finding lists those of lint.',
  },
  TG0004: {
    title: 'The design never came to its end',
    cause:
      'The process ended, or nothing was left to do, while a module of the design was still being evaluated: ' +
      ' it waits for something that never comes, or calls process.exit.',
    fix: 'Keep designs to definitions: no input, no output, no awaiting, no ending of the process.',
  },
  TG0005: {
    title: 'The design failed in the background',
    cause:
      'Something that a module of the design had started (a timer, a promise that nobody awaits) ' +
      'threw an error after the module was evaluated.',
    fix: 'Keep designs to definitions: no timers, no input or output, no promises left alone.',
  },
  TG0006: {
    title: 'toolgen init cannot write',
    cause: 'The operating system refused to make a folder or a file. What was made before was removed again.',
    fix: 'Make the folder writable, or choose another:\n\n    toolgen init --dir my-agent',
  },
  TG0007: {
    title: 'There is no current folder',
    cause: 'The folder in which the command was started was deleted, or may not be read.',
    fix: 'Change to the folder of the project and run the command again.',
  },
  TG0008: {
    title: 'The folder of --cwd does not exist',
    cause: '--cwd names the folder in which the command is to work. There is no such folder, or a file stands there.',
    fix: 'Correct the path, which is relative to the folder in which the command is started.',
  },
  TG0009: {
    title: 'A file to import cannot be read',
    cause:
      '--from names a file that is not there, may not be read, is larger than 64 MiB, or holds no JSON. `-` stands for ' +
      'standard input.',
    fix: 'Correct the path, which is relative to the folder in which the command works, or the JSON at the place that is told.',
  },
  TG0010: {
    title: 'An import would overwrite a file',
    cause:
      'Where the snapshot or the module of the toolset would go, a file stands that no import has written, or a module that ' +
      'was changed since, by hand or by a formatter: its head holds a hash of what follows. Nothing was written.',
    fix:
      'Choose another name or folder:\n\n    toolgen import mcp disk --dir design/imported --from tools.json\n\n' +
      'Where an agent uses the toolset, names and a selection can be given: `as`, `only`, `rename`. Descriptions and ' +
      'schemas stay those of what is imported; change them there. Exclude such modules from formatters. Then give up what stands there:\n\n    toolgen import mcp disk --from tools.json --force',
  },
  TG0011: {
    title: 'An import cannot write',
    cause:
      'The operating system refused to make a folder or a file. The snapshot and the module are written together or not ' +
      'at all.',
    fix: 'Make the folder writable, or choose another with --dir.',
  },
  TG0012: {
    title: 'A server does not tell its tools',
    cause: 'The server could not be started or reached, ended, or did not answer `tools/list` in time.',
    fix:
      'Start it by hand with the same words (`toolgen check` starts it in the folder of the configuration), or see whether ' +
      'Streamable HTTP is spoken at its address. Tools that were captured elsewhere can be imported from a file:\n\n' +
      '    toolgen import mcp files --from tools.json',
  },
  TG0013: {
    title: 'What MCP needs is not installed',
    cause:
      'Servers are asked, and tools are served, through `@toolgen/runtime/mcp` as the project has it, which stands on the ' +
      'official SDK, an optional dependency.',
    fix: 'Install both in the project:\n\n    npm install @toolgen/runtime @modelcontextprotocol/sdk',
  },
  TG0014: {
    title: 'A variable of an MCP server is not set',
    cause:
      '`${NAME}` in the command or the address of a server stands for a variable of the environment, so that snapshots ' +
      'hold no secrets. The variable is not set.',
    fix: 'Set it for the command, in CI as a secret of the repository:\n\n    API_KEY=... toolgen check --live',
  },
  TG0015: {
    title: 'Nobody knows where an MCP server is',
    cause:
      'The snapshot was imported from a file, or from a command or an address that seemed to hold a secret, and so does ' +
      'not say where its server is. It is an error where the toolset was named, and a warning where all were to be asked.',
    fix:
      'Say it once, or import again from the server itself:\n\n' +
      '    toolgen check --live files -- npx -y server .\n    toolgen import mcp files -- npx -y server .',
  },
  TG0016: {
    title: 'There is no module to serve',
    cause: 'The path of the module leads nowhere, or to a folder.',
    fix: 'Correct the path, which is relative to the folder in which the command works:\n\n    toolgen serve src/serve.ts',
  },
  TG0017: {
    title: 'Tools cannot be served at that place',
    cause:
      'The port is in use or reserved, the machine has no such address, or other machines could reach the server while ' +
      'nothing says under which names: then web pages could reach it too, under a name of their own.',
    fix:
      'Choose another port, or name the hosts:\n\n' +
      '    toolgen serve src/serve.ts --port 0\n' +
      '    toolgen serve src/serve.ts --host 0.0.0.0 --allowed-hosts tools.example.com',
  },
  TG0018: {
    title: 'The project cannot be watched',
    cause:
      'The operating system refused to tell of changes in a folder of the project, most often because it watches as many ' +
      'folders as it may: `generate --watch` watches each folder that holds an input or a generated file.',
    fix: 'Raise the limit, on Linux:\n\n    sudo sysctl fs.inotify.max_user_watches=524288',
  },
  TG0019: {
    title: 'A file or a folder cannot be reached',
    cause:
      'The operating system refused to read or write something that the command needs: no permission, a path that is too ' +
      'long, or symbolic links that lead in a circle.',
    fix: 'Give the user who runs toolgen access to it, or name another file or folder:\n\n    ls -ld design',
  },
  TG0020: {
    title: 'A file of yours stands where the catalogue would go',
    cause:
      'The file of --output was not written by `toolgen docs`, or was changed since: the head of a catalogue holds a hash of ' +
      'what follows. Nothing was written.',
    fix: 'Choose another file, or give up what stands there:\n\n    toolgen docs --output docs/tools.md --force',
  },
  TG0021: {
    title: 'The catalogue cannot be written',
    cause:
      'The operating system refused to make the folder or the file of --output. The file there, if any, is as it was.',
    fix: 'Make the folder writable, or print the catalogue:\n\n    toolgen docs > tools.md',
  },
  TG0037: {
    title: 'The forms of model vendors are not known',
    cause:
      '`toolgen lint` and `toolgen tokens` look at tools as they are sent to models, and ask the runtime that the project has ' +
      'installed for that. It is missing, or so old that it has no `@toolgen/runtime/projections`.',
    fix: 'Install it in the project:\n\n    npm install @toolgen/runtime\n\nLint works without vendors, too:\n\n    export default defineConfig({ design: "design/*.ts", lint: { vendors: [] } })',
  },
  TG0038: {
    title: 'Standard output cannot be written',
    cause:
      'The operating system refused what the command printed, for example because the disk is full to which it was sent. What ' +
      'arrived there is not complete.',
    fix: 'Make room, or print to somewhere else:\n\n    toolgen docs > /other/disk/tools.md',
  },
  TG9000: {
    title: 'A bug in toolgen',
    cause:
      'Something happened in toolgen that should not be possible. Nothing is wrong with your input because of this.',
    fix:
      'Please report it, with the output of the same command under TOOLGEN_DEBUG=1, which adds the stack:\n\n' +
      '    TOOLGEN_DEBUG=1 toolgen generate',
  },
}

/** Diagnostics of the output folder and its lock. */
export const writeCatalogue: Catalogue = {
  TG5001: {
    title: 'A generated file was changed by hand',
    cause:
      'The file is listed in toolgen.lock.json, but its content is neither what toolgen wrote last nor what it would ' +
      'write now. Line ends do not count. Writing it again would lose the change, so nothing was written.',
    fix:
      'Move the change to where it lasts: the design, or a mapper in the executor options. Then delete the file ' +
      'and run:\n\n    toolgen generate\n\nTo throw the change away:\n\n    toolgen generate --force',
  },
  TG5002: {
    title: 'A file of yours stands where a generated file must go',
    cause:
      'The design needs a file of this name in the output folder, but the file there was not written by toolgen: the ' +
      'lock does not list it and it lacks the head of generated files. toolgen never overwrites such a file, not even ' +
      'with --force.',
    fix: 'Move the file elsewhere, or give the output a folder of its own:\n\n    export default defineConfig({ design, output: "src/gen" })',
  },
  TG5003: {
    title: 'The output cannot be written at this path',
    cause:
      'A file, a symbolic link or a special file stands where toolgen needs a folder, or a folder or link where it ' +
      'needs a file. Links are not followed, since they may lead out of the project.',
    fix: 'Move what stands there, or choose another `output` folder. Where a link is meant, name its target instead.',
  },
  TG5004: {
    title: 'The operating system refused to read or write the output',
    cause:
      'A file operation failed: no permission, a read-only file system, no space, or a path that is too long. All ' +
      'steps before it were undone, so the output is as it was.',
    fix: 'Make the folder writable or free some space, and run toolgen generate again; or choose another `output` folder.',
  },
  TG5005: {
    title: 'The lock file cannot be read',
    cause:
      'toolgen.lock.json tells which files toolgen wrote, so that it never touches others. It is no JSON, has another ' +
      'form, or lists paths outside the output folder. Most often a merge left its marks in it.',
    fix:
      'After a merge, take either side and generate anew:\n\n' +
      '    git checkout --ours -- gen/toolgen.lock.json\n    toolgen generate --force\n\n' +
      'Otherwise restore the file from version control. With --force an unreadable lock counts as none.',
  },
  TG5006: {
    title: 'The lock file was written by a later toolgen',
    cause: 'The contract version in toolgen.lock.json is higher than this toolgen knows. Writing would take it back.',
    fix: 'Install the version that the others use:\n\n    npm install --save-dev @toolgen/codegen@latest\n    npx toolgen generate',
  },
  TG5007: {
    title: 'Another run is writing to the same output',
    cause: 'One run at a time changes an output folder. This one waited ten seconds for the other.',
    fix:
      'Wait until the other run is done. If no such process exists any more (on another machine that shares the ' +
      'folder, toolgen cannot see that for ten minutes), delete the folder .toolgen in the output.',
  },
  TG5008: {
    title: 'A generated file that the lock does not list',
    cause:
      'The file carries the head of generated files and differs from what toolgen would write, but the lock does not ' +
      'list it: the lock was deleted, or a merge took one side of it. Changes by hand cannot be told from old output.',
    fix: 'Restore the lock from version control, or overwrite the file:\n\n    toolgen generate --force',
  },
  TG5009: {
    title: 'A generated file that belongs to nothing',
    cause:
      'The file in the output folder carries the head of generated files, but neither the lock nor the design knows ' +
      'it. toolgen does not remove it, since it cannot know whose it is.',
    fix: 'Delete the file if nothing imports it.',
  },
  TG5010: {
    title: 'The output is half written',
    cause:
      'A file operation failed while files were moved into place, and undoing the steps before it failed too. Some ' +
      'files are new and some are old; a journal in the folder .toolgen tells the next run which.',
    fix: 'Make the folder writable, then repair the output:\n\n    toolgen generate',
  },
  TG5011: {
    title: 'Temporary files could not be removed',
    cause: 'Everything was written, but the operating system refused to remove the folder .toolgen in the output.',
    fix: 'Delete the folder. The next run that writes something also removes it.',
  },
  TG5012: {
    title: 'The output folder holds files of yours',
    cause:
      'Files in the output folder belong to toolgen. This folder exists, holds files without the head of generated ' +
      'files, and no toolgen.lock.json: most likely `output` names a folder of your sources. Dot files do not count.',
    fix:
      'Give the output a folder of its own:\n\n    export default defineConfig({ design, output: "src/gen" })\n\n' +
      'If the folder is the right one and its lock was lost, restore the lock from version control, or move your files.',
  },
  TG5013: {
    title: 'Codecs in JavaScript are not copied by tsc',
    cause:
      "With `codecs: 'js'` the codecs are `codecs.js` beside `codecs.d.ts`. `tsc` reads the types and writes neither to its " +
      '`outDir`, so that the compiled program would not find them. Bundlers, tsx, vitest and Node with type stripping do.',
    fix:
      'Copy them after `tsc`, as the message says with the output of the project, e.g. in a script of package.json:\n\n' +
      '    "build": "tsc && node copy-codecs.mjs"\n\nor leave out `codecs`: `codecs.ts` is compiled like all the rest.',
  },
  TG5020: {
    title: 'A generated file is missing',
    cause: 'The design gives a file that is not on the disk: it was never generated, not committed, or deleted.',
    fix: 'Generate and commit the result:\n\n    toolgen generate',
  },
  TG5021: {
    title: 'A generated file is out of date',
    cause:
      'The file is as toolgen wrote it, but the design, the configuration, a service client’s type or toolgen ' +
      'itself has changed since.',
    fix: 'Generate and commit the result:\n\n    toolgen generate',
  },
  TG5022: {
    title: 'A generated file belongs to no part of the design',
    cause: 'The tool, toolset or agent that the file was generated for is gone, or has another name.',
    fix: 'Generate and commit the result:\n\n    toolgen generate\n\nWhat the lock does not list is to be deleted by hand.',
  },
}

/** Diagnostics of `toolgen import`. */
export const importCatalogue: Catalogue = {
  TG6001: {
    title: 'A capture is no answer to tools/list, or lists no usable tool',
    cause:
      'The JSON has no list `tools`, or no tool of the list can be imported. The answer alone and the whole message of the ' +
      'protocol are both understood. Nothing was written.',
    fix:
      'Give what the server answered:\n\n    { "tools": [{ "name": "read_file", "inputSchema": { "type": "object" } }] }\n\n' +
      'If warnings name tools that were left out, correct these tools at the server.',
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
    cause:
      'A call names its tool, so a tool or a function without a name cannot be called. It is left out, and so is an entry of ' +
      'a list that is not an object. The other tools are imported.',
    fix:
      'Nothing to change in this project. Ask the author of the server to name the tool. In a list of functions, give the ' +
      'function a name:\n\n    { "name": "get_weather", "parameters": { "type": "object", "properties": {} } }',
  },
  TG6020: {
    title: 'A source describes no functions',
    cause:
      'The source has no function that can be imported. Warnings name the entries that were left out. Tools of ' +
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
      'In the generated type, the field has the type `never`. The other variants of the union can be used.',
    fix: 'Correct the document where it comes from, and import again:\n\n    allOf: [{ $ref: "#/components/schemas/Item" }, { properties: { type: { const: "message" } } }]',
  },
  TG6216: {
    title: 'A security scheme has a name that no header or cookie can have',
    cause:
      'Every request with the credential would fail: the name of a header or cookie has no spaces, line breaks or characters ' +
      'such as `:`. Nothing was written. In YAML, a name in a block (`name: |`) ends with a line break.',
    fix: 'Correct the document, and import again:\n\n    securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }',
  },
  TG6217: {
    title: 'A discriminator maps a value to a schema that does not exist',
    cause:
      'A `mapping` names a schema that the document does not have, or a schema of another document. The value is ignored: ' +
      'the generated code has no variant for it.',
    fix: 'Name a schema of the document, and import again:\n\n    discriminator: { propertyName: kind, mapping: { cat: "#/components/schemas/Cat" } }',
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
