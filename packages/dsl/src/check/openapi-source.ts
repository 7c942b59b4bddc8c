import type { OpenApiSource } from '../types/openapi-source.js'
import { hasFields, isDictionaryOf, isFlag, isListOf, isName, isOneOf } from './checks.js'
import { fault, quoted } from './fault.js'
import type { FieldCheck } from './fields.js'

const isStyle = isOneOf(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject'])

/** Checks fields, of which `in` and `name` (default: `field`) say where requests carry a value. */
function isSendable(fields: FieldCheck): FieldCheck {
  return (value, where) => {
    fields(value, where)
    const { in: place, field, name = field } = value as Readonly<Record<string, unknown>>
    if (place !== 'header' && place !== 'cookie') return
    if (typeof name !== 'string' || /^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return
    throw fault(`${where}.name`, `${quoted(name)} is not a valid name of a ${place}`, 'Use letters, digits and "-"')
  }
}

const isParameter = isSendable(
  hasFields({
    required: { field: isName, in: isOneOf(['path', 'query', 'header', 'cookie']) },
    optional: { name: isName, style: isStyle, explode: isFlag, reserved: isFlag, json: isFlag },
  }),
)

const isBody = hasFields({
  required: { type: isName, as: isOneOf(['json', 'form', 'multipart', 'text', 'bytes']) },
  optional: {
    field: isName,
    fields: isListOf(isName),
    names: isDictionaryOf(isName),
    parts: isDictionaryOf(
      hasFields({ required: {}, optional: { type: isName, style: isStyle, explode: isFlag, bytes: isFlag } }),
    ),
    required: isFlag,
  },
})

const isOperation = hasFields({
  required: { method: isName, path: isName },
  optional: {
    server: isName,
    parameters: isListOf(isParameter),
    body: isBody,
    answers: isDictionaryOf(isOneOf(['json', 'text', 'bytes', 'none'])),
    security: isListOf(isListOf(isName)),
  },
})

/** What a toolset says of its HTTP API. */
export const isOpenApiSource: FieldCheck = hasFields({
  required: { operations: isDictionaryOf(isOperation) },
  optional: {
    server: isName,
    security: isDictionaryOf(
      isSendable(
        hasFields({
          required: { type: isOneOf(['apiKey', 'bearer', 'basic']) },
          optional: { in: isOneOf(['query', 'header', 'cookie']), name: isName },
        }),
      ),
    ),
  },
})

/** Every tool has an operation, and every operation is one of a tool. */
export function requireOperations({ operations }: OpenApiSource, tools: readonly string[], where: string): void {
  const known = Object.keys(operations)
  const lacking = tools.find((tool) => !known.includes(tool))
  const foreign = known.find((tool) => !tools.includes(tool))
  if (lacking !== undefined) {
    throw fault(`${where}.operations`, `has no operation for ${quoted(lacking)}`, 'Add one: { method, path }')
  }
  if (foreign !== undefined) {
    throw fault(`${where}.operations`, `names ${quoted(foreign)}, which is no tool of the toolset`, 'Remove it')
  }
}
