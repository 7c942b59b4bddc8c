/**
 * State of rate limits and circuit breakers that several processes share, for example `postgresLimits(query)`. All times are measured by
 * the clock of the store. Every method is one round trip and must settle, so an implementation needs a time limit.
 *
 * @example
 * const limits: LimitStore = postgresLimits((text, values) => pool.query(text, values))
 */
export interface LimitStore {
  /** Counts one call of a rate limit. If the call must wait, reserves its start time. */
  take(rate: SharedRate): Promise<RateGrant>
  /** Asks whether a circuit breaker lets a call through. While the breaker tests the service, only one call of all processes gets through. */
  enter(circuit: SharedCircuit): Promise<CircuitGrant>
  /** Reports a call that `enter` let pass. Reports of calls that started before the last change of the circuit's state have no effect. */
  report(circuit: SharedCircuit, call: CircuitReport): Promise<void>
}

/** Rate limit that several processes share, as a layer passes it to the store. */
export interface SharedRate {
  /** Name of the limit. All processes that use the same name share the limit. */
  readonly name: string
  /** Maximum number of calls that start in any interval of `perMs`. */
  readonly calls: number
  /** Length of the interval in milliseconds. */
  readonly perMs: number
  /** Maximum wait in milliseconds. A call that would wait longer is not admitted, and does not count. */
  readonly maxWaitMs: number
}

/** Result of {@link LimitStore.take}: the call may start after a wait, or it is rejected. */
export type RateGrant =
  | {
      readonly admitted: true
      /** Time until the call may start, in milliseconds. 0 if it may start at once. */
      readonly waitMs: number
    }
  | {
      readonly admitted: false
      /** Time until the limit admits the next call, in milliseconds. */
      readonly retryAfterMs: number
    }

/** Circuit breaker that several processes share, as a layer passes it to the store. */
export interface SharedCircuit {
  /** Name of the circuit. All processes that use the same name share its state. */
  readonly name: string
  /** Number of consecutive failures, or rate of failures among the most recent calls, that opens the circuit. */
  readonly failures: number | FailureRate
  /** Time until an open circuit allows one test call, in milliseconds. */
  readonly halfOpenAfterMs: number
  /** Time in milliseconds after which a test without a report counts as lost, so that another call tests the service. */
  readonly leaseMs: number
  /**
   * Number of successful calls of this process that were not reported yet. Always 0 if `failures` is a number, because
   * only a rate of failures counts successes.
   */
  readonly successes: number
}

/** Rate of failed calls that opens a circuit. */
export interface FailureRate {
  /** Rate between 0 and 1. The circuit opens if the rate of failed calls is higher. */
  readonly above: number
  /** Number of most recent calls from which the rate is computed. The circuit stays closed until there were this many calls. */
  readonly calls: number
}

/** Result of {@link LimitStore.enter}: the call may pass, may pass as a test, or is rejected. */
export type CircuitGrant =
  | {
      /** The circuit is closed: the call may pass. */
      readonly state: 'closed'
      /**
       * Id of the current state of the circuit. Changes whenever the circuit opens, tests or closes. The report about
       * the call must repeat the id.
       */
      readonly epoch: string
      /** True if the last call failed. If the admitted call succeeds, this success must be reported. */
      readonly hasFailures: boolean
    }
  | {
      /** The circuit tests its service: this call passes as the only test. */
      readonly state: 'test'
      readonly epoch: string
    }
  | {
      /** The circuit is open: the call must not pass. */
      readonly state: 'open'
      /** Time until the next test, in milliseconds; `undefined` while another call tests the service. */
      readonly retryAfterMs: number | undefined
    }

/** Report about a call that the circuit let pass. */
export interface CircuitReport {
  readonly epoch: string
  /**
   * State of the call. `success` and `failure`: the call has ended. `running`: a test call has not ended yet, and the
   * report extends its lease.
   */
  readonly end: 'success' | 'failure' | 'running'
}
