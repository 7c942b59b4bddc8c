import { type JsType, pointerOf } from '@toolgen/runtime/schema'
import { atPointer, type SchemaFault } from '../json-schema.js'

/** A value that JSON cannot carry. */
export function notJson(
  what: string,
  trail: readonly string[],
  next: string = 'Describe the value as JSON, and convert it in a mapper of the application.',
): SchemaFault {
  return {
    code: 'TG3004',
    severity: 'error',
    message: `The schema wants ${what} ${at(trail)}, which JSON cannot carry.`,
    next,
    trail,
  }
}

/** `z.instanceof(Buffer)`: the same bytes under a name that only Node knows. */
export function buffer(trail: readonly string[]): SchemaFault {
  const next = 'Write `z.instanceof(Uint8Array)`: a `Buffer` is one too, and the value travels as base64.'
  return notJson('a Buffer', trail, next)
}

/** Coercion to a type that has a wire form, which reads the text anyway. */
export function coercion(type: JsType | undefined, trail: readonly string[]): SchemaFault {
  const fault = transforms('a coercion', trail)
  switch (type) {
    case 'Date':
      return { ...fault, next: 'Write `z.date()`: it travels as a date-time text, and code gets a `Date`.' }
    case 'bigint':
      return { ...fault, next: 'Write `z.bigint()`: it travels as decimal digits, and code gets a `bigint`.' }
    default:
      return fault
  }
}

/** A payload schema that also changes what is sent. */
export function transforms(what: string, trail: readonly string[]): SchemaFault {
  return {
    code: 'TG3005',
    severity: 'error',
    message: `The payload schema has ${what} ${at(trail)}; a payload schema only describes what is sent.`,
    next: 'Describe the value before the change, and make the change in a payload mapper (`toolsets.USE.mappers.TOOL.payload` of the application).',
    trail,
  }
}

/** A result schema whose outcome is not described. */
export function untyped(trail: readonly string[]): SchemaFault {
  return {
    code: 'TG3005',
    severity: 'error',
    message: `The result schema has a transform ${at(trail)}, whose outcome no schema describes.`,
    next: 'Describe the result after the change, and make the change in a result mapper (`toolsets.USE.mappers.TOOL.result` of the application).',
    trail,
  }
}

/** A default that differs from reading to reading. */
export function unstable(trail: readonly string[]): SchemaFault {
  return {
    code: 'TG3008',
    severity: 'error',
    message: `The default ${at(trail)} is another one each time it is read.`,
    next: 'Give a constant default, or leave the field optional and fill it in the service.',
    trail,
  }
}

/** A pattern whose flags change what it allows. */
export function flags(pattern: RegExp, trail: readonly string[]): SchemaFault {
  return {
    code: 'TG3009',
    severity: 'error',
    message: `The pattern ${at(trail)} has the flags \`${pattern.flags}\`, which JSON Schema cannot carry.`,
    next: 'Write the pattern without flags, e.g. `[a-zA-Z]` in place of `[a-z]` with `i`.',
    trail,
  }
}

/** A library that throws while it converts. */
export function notConverted(why: unknown): SchemaFault {
  const message = whyNot(why)
  return {
    code: 'TG3002',
    severity: 'error',
    message: `The schema cannot be converted to JSON Schema: ${message.split('\n')[0]}`,
    next: 'Correct the schema, or give a plain JSON Schema.',
    trail: [],
  }
}

function whyNot(why: unknown): string {
  // How the engine says that a converter has gone too deep.
  if (why instanceof RangeError) return 'it nests too deep.'
  return why instanceof Error ? why.message : String(why)
}

/** A converter that says nothing about a value that the schema restricts. */
export function emptySchema(library: string): SchemaFault {
  return {
    code: 'TG3003',
    severity: 'error',
    message: `${library} made an empty JSON Schema of this schema: nothing is known about the values.`,
    next: 'Check that the library and its converter fit together, or give a plain JSON Schema.',
    trail: [],
  }
}

function at(trail: readonly string[]): string {
  return atPointer(pointerOf(trail))
}
