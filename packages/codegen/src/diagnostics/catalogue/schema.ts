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
      'Payloads and results travel as JSON: there are no dates, bigints, maps, sets, functions or `undefined` in it.',
    fix:
      'Describe what travels, e.g. `z.iso.datetime()` for a date or `z.string()` for a bigint. Dates are converted where the ' +
      'client takes them; for the rest, write a mapper in the binding.',
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
      'References to other documents, dynamic references, schemas with an address of their own and unknown dialects depend ' +
      'on more than the schema itself.',
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
    fix: 'Name the inner parts as definitions and refer to them.',
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
}
