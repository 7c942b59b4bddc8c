import { defined, elementAt } from '../defined.js'
import { type Installed, loadInstalled, messageOf } from '../dev/installed-runtime.js'
import type { LoadedModule } from '../dev/served-module.js'
import { type Checked, type Diagnostic, errorAt, startOf } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { specFields } from '../emit/emit-design.js'
import { compileDesign } from '../ir/compile-design.js'
import { isToolName } from '../ir/tool-names.js'
import type { OpenApiSourceIr, ToolIr, ToolsetIr } from '../ir/types.js'
import { toolsetOfSnapshot } from '../load/imported-toolsets.js'
import { closedSchema } from '../schema/definitions.js'
import { isObject, objectOf, own, type SchemaObject } from '../schema/json-schema.js'
import { importOpenApi } from './openapi.js'
import type { OperationSelection } from './openapi-operations.js'
import { missingVariables, secretIn } from './origin.js'
import { fetchDocument, isAddress, readSource } from './sources.js'

export interface DocumentRequest {
  /** `-` means standard input. */
  readonly from: string
  readonly cwd: string
  readonly select: OperationSelection
  readonly readOnly: boolean
  readonly baseUrl?: string
  /** Credentials as `SCHEME=VARIABLE` or `SCHEME=USER:PASSWORD`. `VARIABLE`, `USER` and `PASSWORD` are names of environment variables. */
  readonly auth: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/** In code mode, programs use this name as the namespace of the tools. Without code mode, tool names do not contain the toolset name. */
const toolsetName = 'api'

export async function loadDocument(request: DocumentRequest, root: string): Promise<Checked<LoadedModule>> {
  const { from, cwd, select, baseUrl } = request
  const address = isAddress(from) ? from : undefined
  const read = address === undefined ? await readSource(from, cwd) : await fetchDocument(address)
  if (read.value === undefined) return { diagnostics: read.diagnostics.map(withOption) }
  const base = address === undefined || secretIn({ url: address }) !== undefined ? undefined : address
  const imported = await importOpenApi(toolsetName, read.value, defined({ select, base }))
  const [snapshot] = imported.files
  // Notes are about names in a design. TG6207 is about the registration of a toolset.
  const found = imported.diagnostics
    .filter(({ severity, code }) => severity !== 'note' && code !== 'TG6207')
    .map(withOption)
  if (snapshot === undefined) return { diagnostics: found }
  const content = servedContent(JSON.parse(snapshot.text), request.readOnly)
  if (Object.keys(objectOf(own(content, 'tools'))).length === 0) {
    const message = '`--read-only` selects no operation: the selected operations all change data.'
    return { diagnostics: [...found, wrong(message, 'Omit `--read-only`, or select other operations.')] }
  }
  const location = startOf(read.value.file)
  const compiled = compileSnapshot(content, location)
  if (compiled.value === undefined) return { diagnostics: [...found, ...compiled.diagnostics] }
  const toolset = compiled.value
  const { openapi } = toolset
  if (openapi === undefined) throw new Error('Internal error: the toolset of the document has no operations.')
  const hasServer = openapi.operations.every(({ operation }) => own(operation, 'server') !== undefined)
  if (baseUrl === undefined && openapi.server === undefined && !hasServer) {
    const message = `${read.value.shown} does not name the URL of its API.`
    return { diagnostics: [...found, wrong(message, 'Set it: `--base-url https://api.example.com`.')] }
  }
  const credentials = readCredentials(request, objectOf(openapi.security))
  if (credentials.value === undefined) return { diagnostics: [...found, ...credentials.diagnostics] }
  const registered = await register(toolset, openapi, { ...credentials.value, ...defined({ baseUrl }) }, root)
  if (registered.value === undefined) return { diagnostics: [...found, ...registered.diagnostics] }
  return { value: { exported: registered.value, name: 'the document', location }, diagnostics: found }
}

function withOption(diagnostic: Diagnostic): Diagnostic {
  return {
    ...diagnostic,
    next: diagnostic.next.replace('--from', '--openapi').replace(' and import again', ' and serve it again'),
  }
}

/** MCP clients already distinguish the tools of several servers, so tool names do not need the name of the toolset. */
function servedContent(content: SchemaObject, readOnly: boolean): SchemaObject {
  const rows = Object.entries(objectOf(own(content, 'tools'))).flatMap(([tool, value]) => {
    const row = objectOf(value)
    if (readOnly && row.readOnly !== true) return []
    const { toolName } = row
    const short = typeof toolName === 'string' ? toolName.replace(`${toolsetName}_`, '') : ''
    return [[tool, isToolName(short) ? { ...row, toolName: short } : row] as const]
  })
  return { ...content, tools: Object.fromEntries(rows) }
}

function compileSnapshot(content: SchemaObject, location: Diagnostic['location'] & object): Checked<ToolsetIr> {
  const toolset = toolsetOfSnapshot(toolsetName, 'openapi', content)
  const { value, diagnostics } = compileDesign({
    toolsets: [toolset],
    agents: [],
    clients: new Map(),
    snapshots: new Map(),
    closure: [],
    locations: { sourceOf: () => undefined, locationOf: () => location, valueLocationOf: () => location },
  })
  return value === undefined ? { diagnostics } : { value: elementAt(value.toolsets, 0), diagnostics }
}

interface Credentials {
  readonly auth: Readonly<Record<string, string | { readonly username: string; readonly password: string }>>
  readonly headers: Readonly<Record<string, string>>
}

/** `--auth` selects a security scheme by its name in the document, or by its type: `bearer`, `basic` or `apiKey:NAME`. */
function readCredentials({ auth, env }: DocumentRequest, schemes: SchemaObject): Checked<Credentials> {
  const diagnostics: Diagnostic[] = []
  const credentials = new Map<string, Credentials['auth'][string]>()
  const headers = new Map<string, string>()
  for (const text of auth) {
    const [, name = '', first = '', second] = /^(.+?)=([^:=]+)(?::([^:=]+))?$/.exec(text) ?? []
    if (name === '') {
      const next = 'Name the security scheme and an environment variable: `--auth api_key=PETS_KEY`.'
      // The text can be a secret, so the message does not quote it.
      diagnostics.push(wrong('A value of --auth is not `SCHEME=VARIABLE`.', next))
      continue
    }
    const found = schemeOf(name, schemes)
    if ('message' in found) {
      diagnostics.push(found)
      continue
    }
    const { scheme, type } = found
    const variables = [first, ...(second === undefined ? [] : [second])]
    if (variables.length !== (type === 'basic' ? 2 : 1)) {
      const next =
        type === 'basic'
          ? `Name the variables of the user name and of the password: \`--auth ${name}=API_USER:API_PASSWORD\`.`
          : `Name one variable: \`--auth ${name}=API_KEY\`.`
      diagnostics.push(
        wrong(`The security scheme \`${name}\` needs ${type === 'basic' ? 'two variables' : 'one variable'}.`, next),
      )
      continue
    }
    const missing = variables.filter((variable) => (env[variable] ?? '') === '')
    if (missing.length > 0) {
      const message = `The credential of the security scheme \`${name}\` is ${missingVariables(missing)}.`
      const next = 'Set the variable in the environment of toolgen, for example in the `env` of the MCP client.'
      diagnostics.push(errorAt(undefined, 'TG0014', message, next))
      continue
    }
    const [value = '', password = ''] = variables.map((variable) => env[variable] ?? '')
    if (scheme !== undefined) credentials.set(scheme, type === 'basic' ? { username: value, password } : value)
    else if (type === 'bearer') headers.set('authorization', `Bearer ${value}`)
    else if (type === 'basic')
      headers.set('authorization', `Basic ${Buffer.from(`${value}:${password}`).toString('base64')}`)
    else headers.set(name.slice('apiKey:'.length), value)
  }
  if (diagnostics.length > 0) return { diagnostics }
  return { value: { auth: Object.fromEntries(credentials), headers: Object.fromEntries(headers) }, diagnostics: [] }
}

function schemeOf(
  name: string,
  schemes: SchemaObject,
): { readonly scheme?: string; readonly type: 'bearer' | 'basic' | 'apiKey' } | Diagnostic {
  const named = own(schemes, name)
  if (named !== undefined) return { scheme: name, type: typeOf(named) }
  const [kind = '', ...rest] = name.split(':')
  const wire = rest.join(':').toLowerCase()
  const isKind = kind === 'apiKey' ? /^[!#$%&'*+.^_`|~\w-]+$/.test(wire) : /^(?:bearer|basic)$/.test(name)
  const all = Object.entries(schemes)
  if (isKind) {
    const fitting = all.filter(([, scheme]) => {
      const { name: sent } = objectOf(scheme)
      return typeOf(scheme) === kind && (kind !== 'apiKey' || String(sent).toLowerCase() === wire)
    })
    const [[scheme = ''] = []] = fitting
    if (fitting.length === 1) return { scheme, type: typeOf(own(schemes, scheme) ?? {}) }
    if (all.length === 0) return { type: kind === 'apiKey' || kind === 'basic' ? kind : 'bearer' }
  }
  const known = all.map(([scheme]) => scheme)
  const message = `The selected operations have no security scheme \`${name}\`.`
  const others =
    known.length > 0
      ? `Use one of the schemes: ${known.join(', ')}.`
      : 'The document has none: use `bearer=VARIABLE`, `basic=USER:PASSWORD` or `apiKey:HEADER=VARIABLE`.'
  return unknownNameAt(undefined, 'TG0001', message, name, known, others)
}

function typeOf(scheme: unknown): 'bearer' | 'basic' | 'apiKey' {
  const type = isObject(scheme) ? own(scheme, 'type') : undefined
  return type === 'basic' || type === 'apiKey' ? type : 'bearer'
}

/** Calls the same runtime functions as generated code. */
async function register(
  toolset: ToolsetIr,
  { server, security, operations }: OpenApiSourceIr,
  options: object,
  root: string,
): Promise<Checked<object>> {
  const names = ['payloadCodec', 'resultCodec', 'toolSpec', 'newToolCall', 'toolsetRegistration'] as const
  const loaded = [
    ...(await Promise.all(names.map((name) => loadInstalled('@toolgen/runtime/codegen/v1', name, root)))),
    await loadInstalled('@toolgen/runtime/openapi', 'openApiExecutor', root),
  ]
  const diagnostics = loaded.flatMap((each) => each.diagnostics)
  if (diagnostics.length > 0) return { diagnostics }
  const [payloadCodec, resultCodec, toolSpec, newToolCall, registration, executor] = loaded.map(
    ({ value }) =>
      (...args: readonly unknown[]): object =>
        Object(Reflect.apply(value as Installed, undefined, args)),
  ) as [Call, Call, Call, Call, Call, Call]
  const descriptorOf = (tool: ToolIr): object => {
    const payload = payloadCodec({ schema: closedSchema(tool.arguments, toolset.defs) })
    const result = resultCodec({ schema: closedSchema(tool.result, toolset.defs) })
    const spec = toolSpec(specFields(tool, toolset), payload, result)
    return { spec, payload, result, call: (args: object) => newToolCall(spec, payload, args) }
  }
  const { name, namespace, description } = toolset
  const described = { name, namespace, description, tools: toolset.tools.map(descriptorOf) }
  const api = {
    toolset: described,
    ...defined({ server, security }),
    operations: Object.fromEntries(operations.map(({ tool, operation }) => [tool, operation])),
  }
  try {
    return { value: registration({ toolset: described, provider: 'service' }, executor(api, options)), diagnostics: [] }
  } catch (error) {
    const message = `The options for the API are invalid: ${messageOf(error)}.`
    return { diagnostics: [wrong(message, 'Correct `--base-url`, for example `--base-url https://api.example.com`.')] }
  }
}

type Call = (...args: readonly unknown[]) => object

function wrong(message: string, next: string): Diagnostic {
  return errorAt(undefined, 'TG0001', message, next)
}
