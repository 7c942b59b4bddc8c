import type { Readable, Writable } from 'node:stream'
import { type Checked, type Diagnostic, errorAt, type SourceLocation, warning } from '../diagnostics/diagnostic.js'
import { diskErrorText, isDiskError } from '../files.js'
import { type Installed, loadInstalled, messageOf } from './installed-runtime.js'
import {
  bindServed,
  type CodeMode,
  closeModule,
  type LoadedModule,
  readServed,
  type ServedTool,
  toolsOf,
} from './served-module.js'

export interface HttpLocation {
  readonly port: number
  readonly host?: string
  readonly path?: string
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
  /** Options for `bearerAuth` of the runtime. Without these options, clients need no token. */
  readonly auth?: {
    readonly issuer: string
    readonly resource?: string
    readonly audience?: string
    readonly requiredScopes?: readonly string[]
  }
}

export interface StdioLocation {
  readonly input: Readable
  readonly output: Writable
}

export interface ServeRequest {
  readonly load: () => Promise<Checked<LoadedModule>>
  /** Absolute path. The runtime is loaded from the installed packages of this folder. */
  readonly root: string
  readonly transport: HttpLocation | StdioLocation
  readonly code?: CodeService
}

interface CodeService {
  /** True to also serve `search_tools`. Without this tool, the description of `run_program` contains all tool declarations. */
  readonly search: boolean
}

export interface Serving {
  /** Excludes tools that the runtime adds, such as `read_result`. */
  readonly tools: readonly ServedTool[]
  /** In code mode, the names of the tools of code mode, such as `run_program`. */
  readonly served: readonly string[]
  readonly url?: string
  readonly ended: Promise<unknown>
  /** Stops the server, then calls the `close` function of the module. */
  close(): Promise<readonly Diagnostic[]>
}

export async function serve({ load, root, transport, code }: ServeRequest): Promise<Checked<Serving>> {
  const serveMcp = await loadInstalled('@toolgen/runtime/mcp', 'serveMcp', root)
  const newRuntime = await loadInstalled('@toolgen/runtime', 'Runtime', root)
  if (serveMcp.value === undefined) return { diagnostics: serveMcp.diagnostics }
  if (newRuntime.value === undefined) return { diagnostics: newRuntime.diagnostics }
  const authenticated = await withAuth(transport, root)
  if (authenticated.value === undefined) return { diagnostics: authenticated.diagnostics }
  const codeMode = code === undefined ? undefined : await loadCodeMode(code, root)
  if (codeMode !== undefined && codeMode.value === undefined) return { diagnostics: codeMode.diagnostics }
  const module = await load()
  if (module.value === undefined) return { diagnostics: module.diagnostics }
  const read = readServed(module.value)
  if (read.value === undefined) return { diagnostics: read.diagnostics }
  const parts = read.value
  const { options } = parts
  const closed = () => closeModule(parts)
  const runtime = parts.runtime ?? Object(Reflect.construct(newRuntime.value, []))
  const bound = bindServed(parts, runtime, module.value, codeMode?.value)
  if (bound.value === undefined) return { diagnostics: [...bound.diagnostics, ...(await closed())] }
  const { toolsets, tools } = bound.value
  const served = [...new Set(toolsets.flatMap(toolsOf).map(({ toolName }) => toolName))]
  try {
    const service = await startService(serveMcp.value, runtime, {
      ...options,
      toolsets,
      transport: authenticated.value,
    })
    const end = async (): Promise<readonly Diagnostic[]> => {
      await service.close()
      return closed()
    }
    const missing = options.context === undefined ? missingOptions(tools, module.value.location) : []
    return { value: { ...service, tools, served, close: end }, diagnostics: [...module.diagnostics, ...missing] }
  } catch (error) {
    return { diagnostics: [notServed(error), ...(await closed())] }
  }
}

async function withAuth(transport: HttpLocation | StdioLocation, root: string): Promise<Checked<object>> {
  if (!('port' in transport) || transport.auth === undefined) return { value: transport, diagnostics: [] }
  const { value: bearerAuth, diagnostics } = await loadInstalled('@toolgen/runtime/mcp', 'bearerAuth', root)
  if (bearerAuth === undefined) return { diagnostics }
  const onError = (error: unknown): void => console.error(`Cannot check tokens: ${messageOf(error)}`)
  const auth: unknown = Reflect.apply(bearerAuth, undefined, [{ ...transport.auth, onError }])
  return { value: { ...transport, auth }, diagnostics: [] }
}

interface Service extends Pick<Serving, 'url' | 'ended'> {
  close(): Promise<unknown>
}

async function startService(serveMcp: Installed, runtime: object, options: object): Promise<Service> {
  const service: unknown = await Reflect.apply(serveMcp, undefined, [runtime, options])
  if (!isService(service)) throw new TypeError('`serveMcp` of the installed runtime does not return a service')
  return service
}

function isService(value: unknown): value is Service {
  return typeof value === 'object' && value !== null && 'ended' in value && 'close' in value
}

async function loadCodeMode(options: CodeService, root: string): Promise<Checked<CodeMode>> {
  const entry = '@toolgen/runtime/code-mode'
  const { value: codeMode, diagnostics } = await loadInstalled(entry, 'codeMode', root)
  if (codeMode === undefined) return { diagnostics }
  const needed = await loadInstalled(entry, 'missingCodeModePackages', root)
  if (needed.value === undefined) return { diagnostics: needed.diagnostics }
  const missing: unknown = Reflect.apply(needed.value, undefined, [options])
  if (Array.isArray(missing) && missing.length > 0) {
    const names = missing.map((name) => `\`${name}\``).join(', ')
    const message = `--code needs packages that are not installed: ${names}.`
    const next = `Install them in the project: \`npm install ${missing.join(' ')}\`.`
    return { diagnostics: [errorAt(undefined, 'TG0013', message, next)] }
  }
  const apply: CodeMode = (toolsets, index) => {
    const search = options.search && index !== undefined ? { index } : options.search
    return Object(Reflect.apply(codeMode, undefined, [toolsets, { search }]))
  }
  return { value: apply, diagnostics: [] }
}

/** For modules without a `context` function, because `context` sets the call options. */
function missingOptions(tools: readonly ServedTool[], location: SourceLocation): readonly Diagnostic[] {
  const needs = tools.flatMap(({ id, serverOwned }) => serverOwned.map(({ from }) => ({ id, from })))
  const options = [...new Set(needs.map(({ from }) => from))].filter((from) => /^(sessionId$|labels\.)/.test(from))
  return options.map((option) => {
    const ids = [...new Set(needs.flatMap(({ id, from }) => (from === option ? [id] : [])))]
    const shown = ids.slice(0, 3).map((id) => `\`${id}\``)
    const names = [...shown, ...(ids.length > 3 ? [`${ids.length - 3} more tools`] : [])].join(', ')
    const context =
      option === 'sessionId'
        ? "({ mcpSession = 'stdio' }) => ({ sessionId: mcpSession })"
        : `() => ({ labels: { ${option.slice('labels.'.length)}: value } })`
    const message = `${names} ${ids.length > 1 ? 'need' : 'needs'} \`${option}\`, but the module has no \`context\`. Every call fails.`
    const next = `Export \`{ toolsets, context: ${context} }\`.`
    return { ...warning('TG7008', message, next), location }
  })
}

export function notServed(error: unknown): Diagnostic {
  if (isDiskError(error)) {
    const message = `Cannot start the server: ${listenErrors.get(error.code) ?? diskErrorText(error)}.`
    const next = 'Choose another --port or --host. --port 0 uses any free port.'
    return errorAt(undefined, 'TG0017', message, next)
  }
  const message = `Cannot start the server: ${messageOf(error).replace(/^serveMcp: /, '')}.`
  const isHost = /\bhosts?\b/i.test(message)
  const next = !isHost
    ? 'Correct the toolsets that the module exports.'
    : 'Omit --host to serve only this machine. Otherwise set the host names of the server: `--allowed-hosts tools.example.com`.'
  return errorAt(undefined, 'TG0017', message, next)
}

const listenErrors: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'the port is in use'],
  ['EADDRNOTAVAIL', 'this machine does not have the address'],
  ['ENOTFOUND', 'the host name is unknown'],
  ['EAI_AGAIN', 'the host name is unknown'],
  ['EACCES', 'the port is reserved'],
])
