import type { Readable, Writable } from 'node:stream'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { type Installed, loadInstalled } from '../installed/load-installed.js'
import { bindServed, type ServedTool } from './bind-served.js'
import { loadServed } from './load-served.js'
import { readServed } from './read-served.js'
import { notClosed, notServed } from './serve-diagnostics.js'

/** Where Streamable HTTP is served, as `serveMcp` takes it. */
export interface HttpPlace {
  readonly port: number
  readonly host?: string
  readonly path?: string
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
}

/** Where stdio is served, as `serveMcp` takes it. */
export interface StdioPlace {
  readonly input: Readable
  readonly output: Writable
}

/** A module and how it is served. */
export interface ServeRequest {
  /** Absolute. */
  readonly file: string
  /** The folder of the module's package, where the runtime is looked for: absolute. */
  readonly root: string
  readonly transport: HttpPlace | StdioPlace
  /** Told when the module is about to be evaluated. */
  readonly onEvaluate?: () => void
}

/** A server that runs. */
export interface Serving {
  readonly tools: readonly ServedTool[]
  /** Where it is served over HTTP. */
  readonly url?: string
  /** Resolves when nobody is there to be served any more. */
  readonly ended: Promise<unknown>
  /** Ends the service, then what the module has opened; tells what went wrong with that. */
  close(): Promise<readonly Diagnostic[]>
}

/** Serves what a module exports, with the runtime that its package has installed. */
export async function serve({ file, root, transport, onEvaluate }: ServeRequest): Promise<Checked<Serving>> {
  const serveMcp = await loadInstalled('@toolgen/runtime/mcp', 'serveMcp', root)
  const newRuntime = await loadInstalled('@toolgen/runtime', 'Runtime', root)
  if (serveMcp.value === undefined) return { diagnostics: serveMcp.diagnostics }
  if (newRuntime.value === undefined) return { diagnostics: newRuntime.diagnostics }
  onEvaluate?.()
  const module = await loadServed(file, root)
  if (module.value === undefined) return { diagnostics: module.diagnostics }
  const read = readServed(module.value)
  if (read.value === undefined) return { diagnostics: read.diagnostics }
  const { options, close = () => undefined } = read.value
  const runtime = read.value.runtime ?? Object(Reflect.construct(newRuntime.value, []))
  const bound = bindServed(read.value, runtime, module.value)
  if (bound.value === undefined) return { diagnostics: [...bound.diagnostics, ...(await closed(close))] }
  const { toolsets, tools } = bound.value
  try {
    const service = await started(serveMcp.value, runtime, { ...options, toolsets, transport })
    const end = async (): Promise<readonly Diagnostic[]> => {
      await service.close()
      return closed(close)
    }
    return { value: { ...service, tools, close: end }, diagnostics: [] }
  } catch (error) {
    return { diagnostics: [notServed(error), ...(await closed(close))] }
  }
}

async function closed(close: () => unknown): Promise<readonly Diagnostic[]> {
  try {
    await close()
    return []
  } catch (error) {
    return [notClosed(error)]
  }
}

interface Service extends Pick<Serving, 'url' | 'ended'> {
  close(): Promise<unknown>
}

async function started(serveMcp: Installed, runtime: object, options: object): Promise<Service> {
  const service: unknown = await Reflect.apply(serveMcp, undefined, [runtime, options])
  if (!isService(service)) throw new TypeError('`serveMcp` of the installed runtime gives no service')
  return service
}

function isService(value: unknown): value is Service {
  return typeof value === 'object' && value !== null && 'ended' in value && 'close' in value
}
