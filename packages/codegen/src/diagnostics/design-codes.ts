import type { Catalogue } from './diagnostic.js'

/** Diagnostics of evaluating the design, and of its rules. */
export const designCatalogue: Catalogue = {
  TG2001: {
    title: 'The design threw an error',
    cause: 'The design is evaluated by importing its modules. One of them threw; the message is the one of its error.',
    fix: 'Correct the module. A design only describes: it should not read files, call services or depend on the environment.',
  },
  TG2002: {
    title: 'A design module has a syntax error',
    cause: 'The module is neither TypeScript nor JavaScript at the place shown.',
    fix: 'Correct the syntax there.',
  },
  TG2003: {
    title: 'A design module imports what does not exist',
    cause: 'A module named in an import cannot be found: the file is missing, or the package is not installed.',
    fix: 'Correct the path (it may end in .js or .ts), or install the package.',
  },
  TG2004: {
    title: 'The design exports nothing',
    cause: 'No module of the design exports a toolset or an agent, so there is nothing to generate.',
    fix: 'Export what the functions return:\n\n    export const orders = defineToolset("orders", { ... })',
  },
  TG2005: {
    title: 'A part of the design is not what its type says',
    cause:
      'A definition has a field of the wrong type. TypeScript refuses this in a design that it checks; plain JavaScript, a ' +
      'cast or a value that was built by hand lets it through.',
    fix: 'Make the value with `defineTool`, `defineToolset`, `defineAgent` and their like from @toolgen/dsl, without casts.',
  },
  TG2006: {
    title: 'A name is empty',
    cause: 'Toolsets, tools, agents and uses are identified by their names.',
    fix: 'Give it a name.',
  },
  TG2007: {
    title: 'A toolset has no tools',
    cause: 'A toolset without tools offers nothing to an agent.',
    fix: 'Add a tool, or remove the toolset.',
  },
  TG2010: {
    title: 'Two toolsets have the same name',
    cause: 'A toolset is identified by its name in the whole design: in tool ids, folders and lock.',
    fix: 'Rename one of them. To use one toolset with two clients, use it twice with `as`.',
  },
  TG2011: {
    title: 'Two agents have the same name',
    cause: 'An agent is identified by its name in the whole design.',
    fix: 'Rename one of them.',
  },
  TG2012: {
    title: 'An agent uses one name for two uses',
    cause: 'An agent tells its uses apart by their names: the name of the toolset, or the one given with `as`.',
    fix: 'Give one of them another name:\n\n    fromService(orders, archiveClient, { as: "archive" })',
  },
  TG2013: {
    title: 'An agent offers a toolset twice',
    cause: 'The same toolset stands twice in `exports`.',
    fix: 'Remove one of them.',
  },
  TG2014: {
    title: 'Two tools have the same id',
    cause: 'A tool id is `toolset.tool`. Where names contain dots, two pairs of names can give the same id.',
    fix: 'Rename one of the tools or toolsets, best without a dot.',
  },
  TG2020: {
    title: 'A tool name is not legal',
    cause: 'Models accept names of the letters A to Z in both cases, digits, `_` and `-`, of at most 64 characters.',
    fix: 'Choose another tool name, or leave it out: the default is made legal.',
  },
  TG2021: {
    title: 'Two tools of an agent have the same tool name',
    cause: 'A model calls a tool by its tool name, so each stands for one tool within an agent.',
    fix: 'Rename one of them where the agent uses it:\n\n    fromService(orders, client, { rename: { getOrder: "find_order" } })',
  },
  TG2022: {
    title: 'A use or an export names a tool that its toolset does not have',
    cause:
      '`only`, `rename` and `tools` of a use, and `tools` of an export, speak of tools by their names in the toolset.',
    fix: 'Correct the name.',
  },
  TG2023: {
    title: 'A use speaks of a tool that it leaves out',
    cause: '`rename` or `tools` names a tool that is not among those that `only` selects, so it has no effect.',
    fix: 'Add the tool to `only`, or remove the entry.',
  },
  TG2024: {
    title: 'A use selects no tools',
    cause: 'The list `only` is empty, so the agent would use a toolset without any of its tools.',
    fix: 'Name tools in `only`, leave it out to take all of them, or remove the use.',
  },
  TG2030: {
    title: 'A server-owned field is not declared',
    cause:
      'A server-owned field is a direct field of the payload, or of every variant when the payload is a union. The field is ' +
      'checked by its own schema when the runtime fills it.',
    fix:
      'Declare the field:\n\n    payload: z.object({ orderId: z.string(), sessionId: z.string() }),\n' +
      "    serverOwned: { sessionId: 'sessionId' },",
  },
  TG2031: {
    title: 'A server-owned field is filled from nowhere',
    cause: "A server-owned field is filled from a field of the call's meta.",
    fix: 'Take one of `runId`, `sessionId`, `turnId`, `toolCallId`, `parentToolCallId` or `labels.NAME`.',
  },
  TG2040: {
    title: 'A description is empty',
    cause: 'Models choose tools by their descriptions, and people read them in the generated code.',
    fix: 'Say in one sentence what it does and when to use it.',
  },
  TG2041: {
    title: 'A template names a field that does not exist',
    cause:
      '`callHint`, `confirmation.prompt` and the `template` of an exported tool are filled from the payload, `resultHint` ' +
      'from the result.',
    fix: 'Name a declared field; a dot goes deeper:\n\n    resultHint: "Order {{id}} of {{customer.name}}"',
  },
  TG2042: {
    title: 'A template has braces that do not pair',
    cause: 'A field is written between two opening and two closing braces, and nothing else uses them.',
    fix: 'Close each field:\n\n    callHint: "Looking up {{orderId}}"',
  },
  TG2050: {
    title: 'An example does not fit its schema',
    cause:
      'Examples are shown to models as correct calls. This one breaks the schema of the arguments: server-owned fields are ' +
      'not sent, and fields that are not declared are refused. Refinements in code are run as well.',
    fix: 'Correct the example, or the schema.',
  },
  TG2051: {
    title: 'A denied result does not fit its schema',
    cause: 'The denied result is answered when a person declines the call, as an ordinary result of the tool.',
    fix: 'Correct the value, or leave it out: the call then fails with the reason `denied`.',
  },
  TG2052: {
    title: 'A tool with several attempts is neither idempotent nor read-only',
    cause:
      '`defaultLayers.attempts` runs a tool again after a time-out or a failed connection, when the first attempt may have ' +
      'done its work. A second run does no harm only where the tool is declared `idempotent` or `readOnly`.',
    fix:
      'Declare what is true of the tool, or remove `attempts`:\n\n' +
      '    readOnly: true,\n    defaultLayers: { timeoutMs: 30_000, attempts: 2 },',
  },
  TG2060: {
    title: 'A service client is not exported',
    cause:
      'Generated code takes the type of the client from the module that exports it. This client is exported by none of ' +
      'the modules of the design.',
    fix:
      'Export it from a module that imports no schemas, so that users of the generated code need not check them:\n\n' +
      '    export const ordersClient = serviceClient<OrdersClient>()',
  },
  TG2070: {
    title: 'No agent exports a toolset that another agent uses',
    cause:
      '`fromAgent` names a toolset and no agent: the one that exports it serves it. None of the agents that the modules of ' +
      'the design export has the toolset in its `exports`.',
    fix: 'Add it to the agent that serves it:\n\n    defineAgent("research", { exports: [investigation], ... })',
  },
  TG2071: {
    title: 'Several agents export a toolset that another agent uses',
    cause:
      '`fromAgent` takes a toolset from the one agent that exports it. With two of them it is open which one is meant.',
    fix: 'Let one agent export the toolset, and define a toolset of another name for the other agent.',
  },
  TG2072: {
    title: 'An agent uses what it exports itself',
    cause: 'Each call would begin another run of the same agent below the run that asks for it, without an end.',
    fix:
      'Remove the use, or let another agent export the toolset. Two agents may each use what the other one exports; a run ' +
      'then refuses to call an agent that stands above it.',
  },
  TG2073: {
    title: 'An exported tool has a text and a template',
    cause:
      'Both say what the first message of the run is: `text` stands as it is, `template` is filled from the payload.',
    fix: 'Keep one of them:\n\n    tools: { investigate: { template: "Find out all about {{topic}}." } }',
  },
  TG2074: {
    title: 'Prose cannot be the result of an exported tool',
    cause:
      '`prose: true` takes the words with which a run ends as the result, and the result schema allows no free text.',
    fix: 'Remove `prose`: the model is then asked for the result as JSON. Or let the result be a text, alone or in a union.',
  },
}

/** Diagnostics of finding and reading the configuration. */
export const configCatalogue: Catalogue = {
  TG1001: {
    title: 'There is no configuration',
    cause:
      'toolgen reads its configuration from toolgen.config.ts (or .js, .mjs) in the current folder, or from the file that ' +
      '--config names. Folders above are not searched.',
    fix: 'Write one with:\n\n    toolgen init\n\nor name it, or the folder that has it:\n\n    toolgen generate --config path/to/toolgen.config.ts\n    toolgen generate --cwd ..',
  },
  TG1002: {
    title: 'The configuration cannot be evaluated',
    cause: 'The configuration is a module; importing it failed. The message is the one of the error.',
    fix: 'Correct the module. It needs nothing but a default export:\n\n    export default defineConfig({ design: "design/*.ts" })',
  },
  TG1003: {
    title: 'The configuration exports no object',
    cause: 'The default export of the configuration module is missing or is no object.',
    fix:
      'Export the configuration itself, not a function and not a promise:\n\n' +
      '    import { defineConfig } from "@toolgen/codegen"\n    export default defineConfig({ design: "design/*.ts" })',
  },
  TG1004: {
    title: 'The configuration has an unknown field',
    cause: 'A field that toolgen does not know would have no effect, so it is refused.',
    fix: 'Correct its name or remove it. With `defineConfig` the editor shows the fields.',
  },
  TG1005: {
    title: 'A field of the configuration has the wrong type',
    cause: 'The value is missing or is of another kind than the field takes.',
    fix: 'Give the field a value as `ToolgenConfig` describes it. With `defineConfig` the editor checks it.',
  },
  TG1006: {
    title: 'A design path matches no module',
    cause:
      'Paths and patterns of `design` are relative to the configuration file. `*` stands for part of a name and `**` for ' +
      'any folders; node_modules, folders that begin with a dot and the output folder are never searched, and only ' +
      'TypeScript and JavaScript modules count.',
    fix: 'Correct the path, or create the module:\n\n    design: ["design/*.ts", "features/**/tools.ts"]',
  },
  TG1007: {
    title: 'The output folder cannot be used',
    cause:
      'Files in the output folder belong to toolgen: it removes what it does not need any more. So the folder must be one ' +
      'of its own below the project, apart from the design and from node_modules.',
    fix: 'Choose another folder:\n\n    output: "src/gen"',
  },
  TG1008: {
    title: 'The TypeScript configuration is missing',
    cause: '`tsconfig` names a file that does not exist.',
    fix: 'Correct the path, which is relative to the configuration file, or leave it out to take the nearest tsconfig.json.',
  },
  TG1009: {
    title: 'The import map names a missing module',
    cause: 'A key of `importMap` is the path of a module of service clients; there is no such file.',
    fix: 'Correct the path, which is relative to the configuration file:\n\n    importMap: { "design/clients.ts": "@acme/design/clients" }',
  },
  TG1010: {
    title: 'The configuration never came to its end',
    cause:
      'The process ended, or nothing was left to do, while the configuration was still being evaluated: it waits for ' +
      'something that never comes, or calls process.exit.',
    fix: 'Keep the configuration to one object: no input, no output, no awaiting, no ending of the process.',
  },
  TG1011: {
    title: 'The configuration failed in the background',
    cause:
      'Something that the configuration had started (a timer, a promise that nobody awaits) threw an error on its own.',
    fix: 'Keep the configuration to one object: no timers, no input or output, no promises left alone.',
  },
  TG1012: {
    title: 'The TypeScript configuration cannot be read',
    cause:
      'Designs are evaluated, and the types of service clients read, under the nearest tsconfig.json or the one that ' +
      '`tsconfig` names. It, or one that it extends, is missing, is no JSON, extends itself, or has an option of a wrong type.',
    fix:
      'Correct the file at the place that is shown (a package that it extends may have to be installed), until\n\n' +
      '    npx tsc --showConfig\n\nprints it; or name another one:\n\n    tsconfig: "tsconfig.design.json"',
  },
  TG1013: {
    title: 'The configuration names a rule that lint does not have',
    cause: '`lint.rules` gives a level to a rule that `toolgen lint` does not know, so that it would have no effect.',
    fix: 'Correct the id, or remove the entry; the finding lists all rules.',
  },
  TG1014: {
    title: 'The TypeScript configuration resolves modules in an old way',
    cause:
      'Generated code imports `@toolgen/runtime/codegen/v1`, an entry that the package declares in `exports`. tsc finds such ' +
      'entries with `"moduleResolution"` of "node16", "nodenext" or "bundler" alone. Before TypeScript 6, "module": "commonjs" ' +
      'and "module": "esnext" meant another one. The code is generated, but would not compile.',
    fix:
      'Write in `compilerOptions` of tsconfig.json\n\n    "module": "NodeNext"\n\nor, where a bundler reads the code,\n\n' +
      '    "module": "ESNext",\n    "moduleResolution": "Bundler"',
  },
}

/** Diagnostics of reading schemas. */
export const schemaCatalogue: Catalogue = {
  TG3001: {
    title: 'This is not a schema',
    cause:
      'A schema is one of Zod 4 or Zod 3, of a library that implements Standard JSON Schema, or a plain JSON Schema object.',
    fix: 'Give one of these. A library with Standard Schema alone needs a converter, whose result is a plain JSON Schema.',
  },
  TG3002: {
    title: 'A schema cannot be converted',
    cause: "The schema library's own conversion to JSON Schema threw an error, which the message repeats.",
    fix: 'Correct the schema, or describe the value by a plain JSON Schema.',
  },
  TG3003: {
    title: 'A schema is empty',
    cause:
      'The JSON Schema allows anything. For a payload that says nothing to a model. It also happens when a library and its ' +
      'converter do not fit together.',
    fix: 'Give an object with a field for each argument; for a tool without arguments `z.object({})`.',
  },
  TG3004: {
    title: 'A schema wants a value that JSON cannot carry',
    cause:
      'Payloads and results travel as JSON: there are no maps, sets, symbols, functions or `undefined` in it. Dates, bigints ' +
      'and bytes travel as text: `z.date()`, `z.bigint()` and `z.instanceof(Uint8Array)` of Zod, or `x-js` in a JSON Schema.',
    fix: 'Describe what travels, e.g. `z.record(z.string(), z.number())` for a map, and convert it in a mapper.',
  },
  TG3005: {
    title: 'A schema changes values',
    cause:
      'Generated code embeds JSON Schema, which describes values and never changes them: transforms, pipes, coercions, ' +
      '`.catch()` and changes such as `.trim()` would be lost.',
    fix:
      'Describe the value as it is sent (or as it comes back) and make the change in a mapper:\n\n' +
      '    mappers: { getOrder: { payload: (payload, meta, next) => next({ ...payload, id: payload.id.trim() }) } }',
  },
  TG3006: {
    title: 'A payload needs a check at run time',
    cause: 'A refinement in code cannot be written as JSON Schema, so the generated codec does not know it.',
    fix:
      'Export the schema and pass it again where the toolset is registered; it runs after the codec, and its faults become issues:\n\n' +
      '    toolsets: { orders: { client, checks: { getOrder: getOrderPayload } } }',
  },
  TG3007: {
    title: 'Refinements of a result do not run',
    cause: 'A refinement in code cannot be written as JSON Schema. Results are decoded by the generated codec alone.',
    fix: 'Express it by keywords of JSON Schema where possible, or make sure of it in the service or in a result mapper.',
  },
  TG3008: {
    title: 'A default is not constant',
    cause:
      'The default was read twice and differed. Generated code holds it as a constant, and the same design must give the same code.',
    fix: 'Give a constant, or make the field optional and fill it in the service.',
  },
  TG3009: {
    title: 'A pattern has flags',
    cause: 'JSON Schema knows a pattern without flags; `i`, `m` and `s` change what it allows.',
    fix: 'Write it without flags:\n\n    z.string().regex(/^[a-zA-Z]+$/)',
  },
  TG3010: {
    title: 'A JSON Schema is not valid',
    cause: 'A keyword has a value of the wrong kind, or the schema is not made of plain JSON values.',
    fix: 'Correct the keyword at the pointer shown.',
  },
  TG3011: {
    title: 'A reference leads nowhere',
    cause: '`$ref` points to a place of the schema that does not exist.',
    fix: 'Correct it, or add the definition:\n\n    { $ref: "#/$defs/Address", $defs: { Address: { ... } } }',
  },
  TG3012: {
    title: 'A schema uses what cannot be generated',
    cause:
      'References to other documents, dynamic references that can lead to several places and unknown dialects depend on more ' +
      'than the schema itself.',
    fix: 'Copy what is needed into `$defs` and refer to it there.',
  },
  TG3013: {
    title: 'A payload is not an object',
    cause: 'Models send the arguments of a tool as one JSON object.',
    fix: 'Put the value into a field:\n\n    payload: z.object({ ids: z.array(z.string()) })',
  },
  TG3014: {
    title: 'A schema is nested too deep',
    cause: 'The schema goes deeper than any value that models handle, perhaps without end.',
    fix: 'Name the inner parts as definitions and refer to them. Where definitions are too deep, leave out the inner ones.',
  },
  TG3015: {
    title: 'A keyword has no effect',
    cause: 'JSON Schema ignores keywords that it does not know, so a misspelt one restricts nothing.',
    fix: 'Correct the name or remove it. Notes of your own begin with `x-`.',
  },
  TG3016: {
    title: 'A default does not fit its own schema',
    cause: 'A default stands in for a value that was not sent. This one is a value that the same schema would refuse.',
    fix: 'Correct the default, or let the schema allow it:\n\n    limit: z.int().min(1).default(20)',
  },
  TG3017: {
    title: 'No value fits a schema',
    cause:
      'The schema, or a field that it requires, is `false`, `z.never()`, an empty `enum` or a union of such: the tool could ' +
      'never be called, or never answer.',
    fix: 'Allow the values that there are. A tool that answers nothing has null as its result:\n\n    result: z.null()',
  },
  TG3018: {
    title: 'A type of a value does not fit its schema',
    cause:
      'The annotation `x-js` says which JavaScript type a text has to your code: `Date`, `bigint` or `Uint8Array`. Beside it ' +
      'the schema must say how the text is written, for models and for all who do not know the annotation.',
    fix:
      'Write one of:\n\n' +
      "    { type: 'string', format: 'date-time', 'x-js': 'Date' }\n" +
      "    { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 1000, 'x-js': 'bigint' }\n" +
      "    { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }\n\n" +
      'In Zod these are `z.date()`, `z.bigint()` and `z.instanceof(Uint8Array)`.',
  },
  TG3030: {
    title: 'A name of a type was translated',
    cause:
      'JSON Schema knows `string`, `number`, `integer`, `boolean`, `null`, `array` and `object`. This schema names a type as ' +
      'programming languages do (`dict`, `float`, `ArrayList`, `String`), which means one of these.',
    fix: "Write the name that the message gives, e.g. `type: 'object'` for `dict`; for `any` leave `type` out.",
  },
  TG3031: {
    title: 'A default that contradicts its schema was dropped',
    cause:
      "A default stands in for a value that was not sent, so it must be such a value: `default: 'dontcare'` of a number or " +
      '`default: null` of a text would give the service what the schema refuses.',
    fix:
      'Correct the default or let the schema allow it, or leave the field optional without one and let the service decide:\n\n' +
      "    password: { type: ['string', 'null'], default: null }",
  },
  TG3032: {
    title: 'Allowed values that contradict the type were repaired',
    cause:
      "No value is both of the type and in the list, e.g. `type: 'boolean'` with `enum: ['True', 'False', 'dontcare']`. Texts " +
      'that read as a value of the type became that value, and the types of the remaining values were added to `type`. An `enum` of an array ' +
      'whose values are not arrays was moved into `items`. It is an error where `items` has other values, and for an object.',
    fix:
      "Make both agree:\n\n    { type: ['boolean', 'string'], enum: [true, false, 'dontcare'] }\n" +
      "    { type: 'array', items: { enum: ['a', 'b'] } }",
  },
  TG3033: {
    title: 'What is required was said in another place',
    cause:
      'JSON Schema reads in the list `required` of an object which fields must be sent. `required: true` or `optional: true` at ' +
      'a field, a list `optional` and names of fields that do not exist say nothing to it.',
    fix: "List the names at the object:\n\n    { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }",
  },
  TG3034: {
    title: 'A keyword was brought into form',
    cause:
      "The value of a keyword was not what JSON Schema expects, and it was plain what was meant: `items: 'string'`, " +
      "`minimum: '1'`, `properties: []`, or null where there should be nothing.",
    fix: 'Write what the message proposes.',
  },
  TG3035: {
    title: 'A nullable schema takes null',
    cause:
      '`nullable: true` is a keyword of OpenAPI 3.0 that JSON Schema does not know. Where `$schema` names no dialect it is read ' +
      'as OpenAPI means it.',
    fix: "Write `type: ['string', 'null']`, or `anyOf` with `{ type: 'null' }`.",
  },
  TG3036: {
    title: 'A type was implied',
    cause:
      'A schema with `properties` or `items` alone also allows texts, numbers and all else that has no fields or items. Hardly ' +
      'an author means that, so it is read as an object or an array. Where `$schema` names a dialect the schema is taken by ' +
      'the letter instead, with a type that stays open.',
    fix: "Write the type:\n\n    { type: 'object', properties: { id: { type: 'string' } } }",
  },
  TG3037: {
    title: 'A reference leads back to itself',
    cause:
      'A definition refers to itself, perhaps by way of others, without going into a field or an item in between. It says ' +
      'nothing about the value, and no check of it would end.',
    fix: "Refer from within a field or an item:\n\n    { $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } } }",
  },
  TG3038: {
    title: 'A pattern cannot be matched in linear time',
    cause:
      'The time that a codec needs for a text must grow no faster than the text: models and servers choose it. Patterns are ' +
      'matched by an automaton where the regular expressions of JavaScript could be slow. Back references (`\\1`, `\\k<name>`) ' +
      'have no such automaton. Inline flags (`(?i:...)`) and patterns with more than 10,000 characters are not supported.',
    fix: 'Write out the alternatives, or remove the pattern and test the value where the tool runs:\n\n    pattern: "^(?:\'[^\']*\'|\\"[^\\"]*\\")$"',
  },
}
