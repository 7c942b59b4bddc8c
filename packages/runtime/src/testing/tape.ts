import type { RunEvent } from '../contract/event.js'
import type { ToolService } from '../contract/layer.js'
import type { ModelAnswer, ModelDriver, ModelRequest } from '../contract/model-driver.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { ToolRequest } from '../contract/tool-request.js'

/** What stands behind a cassette: a recording that is made, or one that is replayed. */
export interface Tape {
  /** When the recording began, in milliseconds since the epoch. */
  readonly recordedAt: number
  /** Stands in for a driver. */
  ask(request: ModelRequest, driver: () => ModelDriver): Promise<ModelAnswer>
  /** Stands in for the layered call of a tool. */
  call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome>
  /** Is told of each event. */
  hear(event: RunEvent): void
  close(): Promise<void>
}
