import type { JsonText } from './json.js'

/** What a person, or a rule that stands for one, is asked before a tool runs. */
export interface ApprovalRequest {
  /** Absent for a call without an agent. */
  readonly agent?: string
  /** The tool's id, e.g. `orders.cancelOrder`. */
  readonly tool: string
  /** The tool's title, for people. */
  readonly title: string
  readonly toolCallId: string
  /** The arguments, decoded: valid, with their defaults, without server-owned fields. */
  readonly arguments: unknown
  /** The arguments as JSON text, before the payload adapter: as they were sent, or as a layer changed them. */
  readonly rawArguments: JsonText
  /** The question of the design, with the arguments filled in. */
  readonly prompt?: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/**
 * `approve` runs the tool, `deny` answers in its place, `suspend` ends the call as suspended: somebody will answer later.
 */
export type ApprovalDecision =
  | 'approve'
  | 'deny'
  | 'suspend'
  | {
      readonly decision: 'deny'
      /** Shown to the model. */
      readonly reason: string
    }

/** An env that can ask whether a tool may run. */
export interface HasApproval {
  readonly approval: {
    /** Asks; what it rejects with fails the call, whose tool does not run. */
    approve(request: ApprovalRequest): Promise<ApprovalDecision>
  }
}

/** An env that writes logs. */
export interface HasLogger {
  readonly logger: {
    /** What only helps to find a fault. */
    debug(message: string, facts?: Readonly<Record<string, unknown>>): void
    /** What happened as it should. */
    info(message: string, facts?: Readonly<Record<string, unknown>>): void
    /** What is odd and went on. */
    warn(message: string, facts?: Readonly<Record<string, unknown>>): void
    /** What failed. */
    error(message: string, facts?: Readonly<Record<string, unknown>>): void
  }
}

/** An env that counts and measures. */
export interface HasMetrics {
  readonly metrics: {
    /** Adds to a counter; `by` is 1 where absent. */
    count(name: string, by?: number, labels?: Readonly<Record<string, string>>): void
    /** Records one value of a distribution, e.g. a duration in milliseconds. */
    record(name: string, value: number, labels?: Readonly<Record<string, string>>): void
  }
}

/** An env with a clock. */
export interface HasClock {
  readonly clock: {
    /** Milliseconds since the epoch. */
    now(): number
    /** Resolves after so many milliseconds; rejects when the signal is aborted. */
    sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  }
}

/** The option `env` of a call or run: required, and of exactly this shape, where layers need something of it. */
export type EnvOption<Env> = unknown extends Env ? { readonly env?: unknown } : { readonly env: Env }
