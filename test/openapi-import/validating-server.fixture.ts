import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** An operation of the document. */
export interface ServedOperation {
  /** Lowercase. */
  readonly method: string
  readonly path: string
}

/** A request, parsed with the document only and without the imported toolset. */
export interface ReadRequest {
  /** Parameters by location and name, for example `query limit`. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** Violations of the document. */
  readonly faults: readonly string[]
}

/** Starts a server that responds to one operation after the other, and validates every request with the document. */
export async function validatingServer(document: any) {
  const reader = documentReader(document)
  let expected: ServedOperation | undefined
  let answer: unknown
  let read: ReadRequest | undefined
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    try {
      read = expected === undefined ? undefined : await reader(expected, request, Buffer.concat(chunks))
    } catch (error) {
      read = { parameters: {}, body: undefined, faults: [`it cannot be read: ${error}`] }
    }
    const { status, type, body } = answerOf(document, expected, answer)
    response.writeHead(status, type === undefined ? {} : { 'content-type': type })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`,
    /** @param value response to the next request of the operation */
    expect(operation: ServedOperation, value: unknown): void {
      expected = operation
      answer = value
      read = undefined
    },
    read: (): ReadRequest | undefined => read,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** Returns the first success response of the document, with JSON, text or without a body. */
function answerOf(document: any, operation: ServedOperation | undefined, value: unknown) {
  const responses = (operation && operationIn(document, operation).responses) ?? {}
  const status = Object.keys(responses).find((code) => code.startsWith('2')) ?? 'default'
  const content = resolve(document, responses[status])?.content ?? {}
  const types = Object.keys(content)
  const type = types.find((each) => /json|\*\/\*/.test(each)) ?? types[0]
  const code = Number(status.replace(/XX/i, '00')) || 200
  if (type === undefined) return { status: code, type, body: undefined }
  return { status: code, type: type.replace('*/*', 'application/json'), body: JSON.stringify(value) }
}

function documentReader(document: any) {
  const options = { strict: false, logger: false, validateSchema: false, allErrors: true } as const
  const [strict, coercing] = [new Ajv2020(options), new Ajv2020({ ...options, coerceTypes: 'array' })]
  for (const ajv of [strict, coercing]) {
    addFormats.default(ajv)
    // A format that the document uses and JSON Schema does not define.
    ajv.addFormat('url', true)
    ajv.addSchema(modern(document), 'doc')
  }
  /** Returns the faults of a value. Coerced values are written to `holder`. */
  const check = (ajv: Ajv2020, pointer: string, holder: { value: unknown }): readonly string[] => {
    const schema = { properties: { value: { $ref: `doc#${pointer}` } } }
    const validate = ajv.compile(schema)
    const isRight: boolean = validate(holder)
    return isRight ? [] : [`${pointer}: ${ajv.errorsText(validate.errors)} (${JSON.stringify(holder.value)})`]
  }
  return async (operation: ServedOperation, request: IncomingMessage, bytes: Buffer): Promise<ReadRequest> => {
    const url = new URL(request.url ?? '', 'http://localhost')
    const faults: string[] = []
    const parameters: Record<string, unknown> = {}
    if (request.method?.toLowerCase() !== operation.method) faults.push(`the method is ${request.method}`)
    const segments = matched(operation.path, url.pathname)
    if (segments === undefined) faults.push(`the path is ${url.pathname}`)
    for (const [pointer, parameter] of parametersIn(document, operation)) {
      const raw = rawOf(parameter, { url, request, segments: segments ?? {} }, schemaIn(document, parameter))
      if (raw === undefined) {
        if (parameter.required === true) faults.push(`${parameter.name} is missing`)
        continue
      }
      const holder = { value: raw }
      if (parameter.schema !== undefined) faults.push(...check(coercing, `${pointer}/schema`, holder))
      parameters[`${parameter.in} ${parameter.name}`] = holder.value
    }
    const body = await bodyOf(document, operation, request, bytes, (pointer, isForm, holder) =>
      faults.push(...check(isForm ? coercing : strict, pointer, holder)),
    )
    return { parameters, body, faults }
  }
}

type CheckBody = (pointer: string, isForm: boolean, holder: { value: unknown }) => void

async function bodyOf(
  document: any,
  operation: ServedOperation,
  request: IncomingMessage,
  bytes: Buffer,
  check: CheckBody,
): Promise<unknown> {
  const [at, declared] = follow(document, operationIn(document, operation).requestBody, [
    ...['paths', operation.path, operation.method, 'requestBody'],
  ])
  if (bytes.length === 0 || declared === undefined) return undefined
  const type = request.headers['content-type'] ?? ''
  const media = Object.keys(declared.content).find(
    (each) => type.startsWith(each.split(';')[0] ?? '') || each.includes('*'),
  )
  if (media === undefined) throw new Error(`The body is ${type}, and the document does not know that.`)
  const isForm = /form/.test(type)
  const value = isForm
    ? await formOf(await new Response(bytes, { headers: { 'content-type': type } }).formData())
    : /json/.test(type)
      ? JSON.parse(bytes.toString('utf8'))
      : bytes.toString('utf8')
  const holder = { value }
  const isPlain = !/spaceDelimited|pipeDelimited|deepObject|"form"/.test(
    JSON.stringify(declared.content[media].encoding ?? {}),
  )
  if (isPlain && declared.content[media].schema !== undefined) {
    check(pointerOf([...at, 'content', media, 'schema']), isForm, holder)
  }
  return holder.value
}

/** Returns the fields of a form: JSON parts as values, other files as their size. */
async function formOf(form: FormData): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  for (const name of new Set(form.keys())) {
    const values = await Promise.all(form.getAll(name).map(partOf))
    fields[name] = values.length === 1 ? values[0] : values
  }
  return fields
}

async function partOf(part: string | File): Promise<unknown> {
  if (typeof part === 'string') return part.startsWith('{') ? JSON.parse(part) : part
  return part.type === 'application/json' ? JSON.parse(await part.text()) : `${part.size} bytes`
}

interface Sent {
  readonly url: URL
  readonly request: IncomingMessage
  readonly segments: Readonly<Record<string, string>>
}

/** Parses a parameter of a request according to its style. */
function rawOf(parameter: any, { url, request, segments }: Sent, schema: any): unknown {
  const { name } = parameter
  const style = parameter.style ?? (parameter.in === 'query' || parameter.in === 'cookie' ? 'form' : 'simple')
  const explode = parameter.explode ?? style === 'form'
  const kind = schema?.type === 'array' ? 'array' : schema?.type === 'object' ? 'object' : 'primitive'
  const decode = decodeURIComponent
  if (parameter.content !== undefined) {
    const text = url.searchParams.get(name)
    return text === null ? undefined : JSON.parse(text)
  }
  if (parameter.in === 'path') {
    const text = segments[name] ?? ''
    return taken(style === 'simple' ? text : text.slice(1), { style, explode, kind, name, decode })
  }
  if (parameter.in === 'header') {
    const text = request.headers[name.toLowerCase()]
    return text === undefined ? undefined : taken(String(text), { style, explode, kind, name, decode: (same) => same })
  }
  const text = parameter.in === 'cookie' ? (request.headers.cookie ?? '') : url.search.slice(1)
  const pairs = text
    .split(parameter.in === 'cookie' ? /; |&/ : '&')
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => [decode(pair.split('=')[0] ?? ''), pair.slice(pair.indexOf('=') + 1)])
  const own = pairs.filter(([key]) => key === name).map(([, value]) => value)
  if (style === 'deepObject') {
    const fields = pairs.flatMap(([key, value]) => {
      const field = key.startsWith(`${name}[`) ? key.slice(name.length + 1, -1) : undefined
      return field === undefined ? [] : [[field, decode(value)] as const]
    })
    return fields.length === 0 ? undefined : Object.fromEntries(fields)
  }
  if (kind === 'object' && explode) {
    const fields = pairs.filter(([key]) => Object.hasOwn(schema.properties ?? {}, key))
    return fields.length === 0 ? undefined : Object.fromEntries(fields.map(([key, value]) => [key, decode(value)]))
  }
  if (own.length === 0) return undefined
  if (kind === 'array' && explode) return own.map(decode)
  const mark = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
  return split(own[0] ?? '', mark, kind, decode)
}

interface Style {
  readonly style: string
  readonly explode: boolean
  readonly kind: string
  readonly name: string
  readonly decode: (text: string) => string
}

/** Parses the text of a path or header parameter. */
function taken(text: string, { style, explode, kind, name, decode }: Style): unknown {
  const mark = explode && style === 'label' ? '.' : explode && style === 'matrix' ? ';' : ','
  if (explode && kind === 'object')
    return Object.fromEntries(text.split(mark).map((pair) => pair.split('=').map(decode)))
  const bare = style === 'matrix' ? text.replaceAll(`${name}=`, '') : text
  return split(bare, mark, kind, decode)
}

function split(text: string, mark: string, kind: string, decode: (text: string) => string): unknown {
  if (kind === 'primitive') return decode(text)
  const parts = text.split(mark).map(decode)
  if (kind === 'array') return parts
  return Object.fromEntries(parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1]]] : [])))
}

/** Returns the path parameters, or `undefined` if the path does not match the template. */
function matched(template: string, pathname: string): Readonly<Record<string, string>> | undefined {
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name)
  const [path = ''] = template.split(/[#?]/)
  const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '([^/]+)')
  const found = new RegExp(`^/base${pattern}$`).exec(pathname)
  return found === null ? undefined : Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? '']))
}

function operationIn(document: any, { path, method }: ServedOperation): any {
  return document.paths[path][method]
}

/** Returns the parameters with their pointers. Parameters of the operation replace those of its path. */
function parametersIn(
  document: any,
  operation: ServedOperation,
): readonly (readonly [pointer: string, parameter: any])[] {
  const item = document.paths[operation.path]
  const found = new Map<string, readonly [string, any]>()
  for (const [list, keys] of [
    [item.parameters, ['paths', operation.path]],
    [item[operation.method].parameters, ['paths', operation.path, operation.method]],
  ] as const) {
    for (const [index, each] of (list ?? []).entries()) {
      const [at, parameter] = follow(document, each, [...keys, 'parameters', String(index)])
      found.set(`${parameter.in} ${parameter.name}`, [pointerOf(at), parameter])
    }
  }
  return [...found.values()]
}

function schemaIn(document: any, parameter: any): any {
  const schema = resolve(document, parameter.schema)
  return schema?.allOf?.length === 1 ? resolve(document, schema.allOf[0]) : schema
}

function resolve(document: any, part: any): any {
  return follow(document, part, [])[1]
}

function follow(document: any, part: any, keys: readonly string[]): readonly [keys: readonly string[], part: any] {
  if (typeof part?.$ref !== 'string') return [keys, part]
  const next = part.$ref
    .slice(2)
    .split('/')
    .map((key: string) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
  return follow(
    document,
    next.reduce((value: any, key: string) => value[key], document),
    next,
  )
}

function pointerOf(keys: readonly string[]): string {
  return keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')
}

/** Converts the schemas of OpenAPI 3.0 to JSON Schema. */
function modern(value: any): any {
  if (Array.isArray(value)) return value.map(modern)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...copy } = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, modern(item)]))
  if (nullable !== true) return nullable === undefined || typeof nullable === 'boolean' ? copy : { ...copy, nullable }
  if (copy.type === undefined) return { anyOf: [copy, { type: 'null' }] }
  return { ...copy, type: [copy.type, 'null'].flat(), ...(copy.enum && { enum: [...copy.enum, null] }) }
}
