/** Variable in a URI template. */
export interface UriTemplateVariable {
  /** Name of the variable, for example `path`. */
  readonly name: string
  /** `true` if the variable expects a list of values, as in `{/path*}`. */
  readonly isList: boolean
  /** `true` for a parameter of the query, as in `{?page}`. The parameter can be omitted. */
  readonly isOptional: boolean
}

/** Element of a URI template: literal text, or an expression with its operator and variables. */
export type UriTemplatePart = string | { readonly operator: string; readonly variables: readonly UriTemplateVariable[] }

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g
const VARIABLE = /^(?:\w|%[\da-f]{2})(?:[\w.]|%[\da-f]{2})*\*?$/i

/**
 * Parses a URI template of RFC 6570. Supports all operators. Returns `undefined` if the template is malformed, or if
 * the template has a prefix modifier such as `{name:3}`.
 *
 * @example
 * parseUriTemplate('file:///{path}') // ['file:///', { operator: '', variables: [{ name: 'path', isList: false, isOptional: false }] }]
 */
export function parseUriTemplate(template: string): readonly UriTemplatePart[] | undefined {
  const parts: UriTemplatePart[] = []
  let end = 0
  const addText = (text: string): boolean => {
    if (text !== '') parts.push(text)
    return !/[{}]/.test(text)
  }
  for (const { index, 0: whole, 1: operator = '', 2: list = '' } of template.matchAll(EXPRESSION)) {
    if (!addText(template.slice(end, index))) return undefined
    const names = list.split(',')
    if (!names.every((name) => VARIABLE.test(name))) return undefined
    const variables = names.map((name) => ({
      name: name.replace('*', ''),
      isList: name.endsWith('*'),
      isOptional: operator === '?' || operator === '&',
    }))
    parts.push({ operator, variables })
    end = index + whole.length
  }
  return addText(template.slice(end)) ? parts : undefined
}

interface Operator {
  readonly first: string
  readonly separator: string
  readonly isNamed: boolean
  readonly encode: (value: string) => string
}

/** Does not change reserved characters such as `/`, and sequences that are already encoded, such as `%20`. */
function encodeReserved(value: string): string {
  return encodeURI(value)
    .replace(/%25([\da-f]{2})/gi, '%$1')
    .replace(/%5B/g, '[')
    .replace(/%5D/g, ']')
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '': { first: '', separator: ',', isNamed: false, encode: encodeURIComponent },
  '+': { first: '', separator: ',', isNamed: false, encode: encodeReserved },
  '#': { first: '#', separator: ',', isNamed: false, encode: encodeReserved },
  '.': { first: '.', separator: '.', isNamed: false, encode: encodeURIComponent },
  '/': { first: '/', separator: '/', isNamed: false, encode: encodeURIComponent },
  ';': { first: ';', separator: ';', isNamed: true, encode: encodeURIComponent },
  '?': { first: '?', separator: '&', isNamed: true, encode: encodeURIComponent },
  '&': { first: '&', separator: '&', isNamed: true, encode: encodeURIComponent },
}

export function expandUriTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  const parts = parseUriTemplate(template)
  const rejected = (problem: string): TypeError => new TypeError(`URI template '${template}': ${problem}`)
  if (parts === undefined) throw rejected('the template is malformed.')
  const variables = parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables))
  const names = variables.map(({ name }) => name)
  const unknown = Object.keys(values).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const known = names.length === 0 ? 'It has no variables.' : `Its variables are ${names.join(', ')}.`
    throw rejected(`there is no variable '${unknown}'. ${known}`)
  }
  const listOf = ({ name, isList, isOptional }: UriTemplateVariable): readonly string[] => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined && isOptional) return []
    const list: readonly unknown[] = Array.isArray(value) && isList ? value : [value]
    if (list.every((each): each is string => typeof each === 'string' && !/\p{Cs}/u.test(each))) return list
    const expected = isList ? 'a string or an array of strings' : 'a string'
    const got = value === undefined ? 'nothing' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
    throw rejected(`the variable '${name}' must be ${expected} of valid Unicode, but is ${got}.`)
  }
  const expanded = parts.map((part) => {
    if (typeof part === 'string') return part
    const { first, separator, isNamed, encode } = OPERATORS[part.operator] as Operator
    const named = (name: string, value: string): string => {
      if (!isNamed) return value
      return value === '' && part.operator === ';' ? name : `${name}=${value}`
    }
    const texts = part.variables.flatMap((variable) =>
      listOf(variable).map((value) => named(variable.name, encode(value))),
    )
    return texts.length === 0 ? '' : first + texts.join(separator)
  })
  return expanded.join('')
}
