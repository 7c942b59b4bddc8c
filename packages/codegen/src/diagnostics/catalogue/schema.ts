import type { Catalogue } from './catalogue-entry.js'

/** What reading schemas reports. */
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
      'that read as a value of the type became that value, and the type was widened by what is left.',
    fix: "Make both agree:\n\n    { type: ['boolean', 'string'], enum: [true, false, 'dontcare'] }",
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
