import type { ToolsetRegistration } from '../../contract/registration.js'
import type { BoundTools } from '../../execute/bound-tools.js'
import type { Runtime } from '../../execute/runtime.js'
import type { ServedTools } from './serve-options.js'

/** All that a module can say of what `toolgen serve` is to serve. */
export type ServedProject<Env = unknown> = ServedTools<Env> & {
  /** In which registrations become tools. Default: a runtime without options. */
  readonly runtime?: Runtime
  /** Called once when the service has ended, to close what the module has opened. */
  readonly close?: () => unknown
}

/**
 * What a module for `toolgen serve` exports, as its default or as `tools`: registrations, toolsets and agents that are bound
 * already, or a {@link ServedProject} with what else belongs to them; or a function that gives one of these. `Env` names what
 * the layers around the tools need: where they need something, only a project can give it, with its `context`.
 *
 * @example
 * export default [newOrdersToolsetRegistration(executor)] satisfies ServedModule
 *
 * @example
 * export default (async () => ({
 *   toolsets: [registerSupport(runtime, { toolsets: { orders: { client: await connect() } } })],
 *   context: ({ mcpSession = 'stdio' }) => ({ sessionId: mcpSession }),
 * })) satisfies ServedModule
 */
export type ServedModule<Env = unknown> = Served<Env> | (() => Served<Env> | Promise<Served<Env>>)

type Served<Env> = ServedProject<Env> | (unknown extends Env ? Servable<Env> | readonly Servable<Env>[] : never)

type Servable<Env> = ToolsetRegistration<Env> | BoundTools<Env>
