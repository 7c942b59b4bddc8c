import { flatLiteral, propertyNameText, stringText } from '../../text/literal.js'
import type { ArgumentPlan, Conversion, FieldConversion, ScalarConversion } from '../plan/plan.js'

/**
 * The tuple of arguments that a plan makes, for a generic method whose own parameters cannot be written without its type
 * arguments; undefined where the plan makes something that only the method's type can tell.
 */
export function argumentsType(args: readonly ArgumentPlan[], payload: string): string | undefined {
  const types = args.map((argument) => argumentType(argument, payload))
  return types.includes(undefined) ? undefined : `[${types.join(', ')}]`
}

function argumentType(argument: ArgumentPlan, payload: string): string | undefined {
  switch (argument.kind) {
    case 'undefined':
      return 'undefined'
    case 'constant':
      return flatLiteral(argument.value)
    case 'bag':
      return bagType(argument, payload)
    case 'signal':
      return 'AbortSignal'
    case 'spread': {
      const type = fieldType(argument.field, payload)
      return type === undefined ? undefined : `...${type}`
    }
    default: {
      const type = fieldType(argument.field, payload)
      return type === undefined || argument.field.presence === 'required' ? type : `${type} | undefined`
    }
  }
}

function bagType({ conversion, signal }: ArgumentPlan & { kind: 'bag' }, payload: string): string | undefined {
  if (signal === undefined) return convertedType(conversion, payload)
  const carried = `{ ${propertyNameText(signal)}: AbortSignal }`
  if (conversion.kind === 'object' && conversion.fields.length === 0 && !conversion.rest) return carried
  const type = convertedType(conversion, payload)
  return type === undefined ? undefined : `${type} & ${carried}`
}

function fieldType(field: FieldConversion, owner: string): string | undefined {
  if (field.constant !== undefined || field.from === undefined) return flatLiteral(field.constant ?? null)
  const type = `${owner}[${stringText(field.from)}]`
  const dropsNull = field.presence === 'omitNull' || field.presence === 'undefinedNull'
  if (field.presence === 'required') return convertedType(field.conversion, type)
  return convertedType(field.conversion, dropsNull ? `NonNullable<${type}>` : `Exclude<${type}, undefined>`)
}

function convertedType(conversion: Conversion, from: string): string | undefined {
  switch (conversion.kind) {
    case 'pass':
      return from
    case 'cast':
      return 'never'
    case 'null':
      return 'null'
    case 'scalar':
      return scalarTypes[conversion.name]
    case 'array': {
      const items = convertedType(conversion.items, `${from}[number]`)
      if (items === undefined) return undefined
      return conversion.to === 'set' ? `Set<${items}>` : `(${items})[]`
    }
    case 'record': {
      const values = convertedType(conversion.values, `${from}[string]`)
      if (values === undefined) return undefined
      return conversion.to === 'map' ? `Map<string, ${values}>` : `Record<string, ${values}>`
    }
    case 'nullable': {
      const inner = convertedType(conversion.inner, `NonNullable<${from}>`)
      return inner === undefined ? undefined : `${inner} | null`
    }
    case 'object':
      return objectType(conversion, from)
    default:
      return undefined
  }
}

function objectType(conversion: Conversion & { kind: 'object' }, from: string): string | undefined {
  if (conversion.rest) return undefined
  const members = conversion.fields.map((field) => {
    const type = fieldType(field, from)
    const name = propertyNameText(field.to)
    if (type === undefined) return undefined
    if (field.presence === 'required') return `${name}: ${type}`
    return field.presence.startsWith('omit') ? `${name}?: ${type}` : `${name}: ${type} | undefined`
  })
  if (members.includes(undefined)) return undefined
  return members.length === 0 ? '{ [key: string]: never }' : `{ ${members.join('; ')} }`
}

const scalarTypes: Readonly<Record<ScalarConversion, string>> = {
  dateTimeToDate: 'Date',
  dateToDateTime: 'string',
  dateToUtcMidnight: 'Date',
  integerToBigint: 'bigint',
  bigintToString: 'string',
  base64ToBytes: 'Uint8Array<ArrayBuffer>',
  bytesToBase64: 'string',
  stringToUrl: 'URL',
  urlToString: 'string',
}
