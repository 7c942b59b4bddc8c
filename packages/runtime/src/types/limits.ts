/**
 * State of rate limits and circuit breakers that several processes share, for example `postgresLimits(query)`. The
 * clock of the store measures all times. Every method makes one request to the store. The promise that a method returns
 * must settle, so an implementation needs a time limit for its requests.
 *
 * @example
 * const limits: LimitStore = postgresLimits((text, values) => pool.query(text, values))
 */
export interface LimitStore {
  /** Counts one call against a rate limit. If the call must wait, reserves the start time of the call. */
  take(rate: SharedRate): Promise<RateGrant>
  /** Asks the circuit breaker whether a call may run. While the circuit breaker tests the service, only one call in all processes may run. */
  enter(circuit: SharedCircuit): Promise<CircuitGrant>
  /**
   * Reports the state of a call that `enter` admitted. A report has no effect if the state of the circuit changed after
   * the start of the call.
   */
  report(circuit: SharedCircuit, call: CircuitReport): Promise<void>
}

/** Rate limit that several processes share, with the settings that a layer passes to the store. */
export interface SharedRate {
  /** Name of the limit. All processes that use the same name share the limit. */
  readonly name: string
  /** Maximum number of calls that start in any interval of `perMs`. */
  readonly calls: number
  /** Length of the interval in milliseconds. */
  readonly perMs: number
  /** Maximum wait in milliseconds. The store rejects a call that would wait longer, and does not count this call. */
  readonly maxWaitMs: number
}

/** Result of {@link LimitStore.take}: the call may start after a wait, or the limit rejects the call. */
export type RateGrant =
  | {
      readonly admitted: true
      /** Time until the call may start, in milliseconds. 0 if the call may start immediately. */
      readonly waitMs: number
    }
  | {
      readonly admitted: false
      /** Time until the limit admits the next call, in milliseconds. */
      readonly retryAfterMs: number
    }

/** Circuit breaker that several processes share, with the settings that a layer passes to the store. */
export interface SharedCircuit {
  /** Name of the circuit. All processes that use the same name share its state. */
  readonly name: string
  /** Number of consecutive failures, or rate of failures among the most recent calls, that opens the circuit. */
  readonly failures: number | FailureRate
  /** Time until an open circuit allows one test call, in milliseconds. */
  readonly halfOpenAfterMs: number
  /** Maximum time without a report about the test call, in milliseconds. After this time, another call tests the service. */
  readonly leaseMs: number
  /**
   * Number of successful calls that this process has not reported yet. Always 0 if `failures` is a number, because only
   * a failure rate depends on successes.
   */
  readonly successes: number
}

/** Rate of failed calls that opens a circuit. */
export interface FailureRate {
  /** Rate between 0 and 1. The circuit opens if the rate of failed calls is higher. */
  readonly above: number
  /** Number of most recent calls from which the rate is computed. The circuit stays closed until this number of calls has ended. */
  readonly calls: number
}

/** Result of {@link LimitStore.enter}: the circuit breaker admits the call, admits the call as a test, or rejects the call. */
export type CircuitGrant =
  | {
      /** The circuit is closed: the call may run. */
      readonly state: 'closed'
      /**
       * Id of the current state of the circuit. Changes whenever the circuit opens, closes or starts a test. The report about the call must contain
       * the same id.
       */
      readonly epoch: string
      /** True if calls have failed since the last reported success. In this case, report a success of this call, unless `failures` is a rate. */
      readonly hasFailures: boolean
    }
  | {
      /** The circuit breaker tests the service: this call is the only test. */
      readonly state: 'test'
      readonly epoch: string
    }
  | {
      /** The circuit is open: the call must not run. */
      readonly state: 'open'
      /** Time until the circuit breaker allows a test call, in milliseconds. `undefined` while a test call is running. */
      readonly retryAfterMs: number | undefined
    }

/** Report about a call that the circuit breaker admitted. */
export interface CircuitReport {
  readonly epoch: string
  /**
   * State of the call. `success` and `failure`: the call has ended. `running`: a test call still runs, so that no other
   * call may test the service yet.
   */
  readonly end: 'success' | 'failure' | 'running'
}
