import type { Issue } from './codec.js'
import type { JsonSchema, JsonText, JsonValue } from './json.js'

export type NonEmpty<T> = readonly [T, ...T[]]

export interface MissingField {
  /** JSON Pointer of the field. */
  readonly path: string
  readonly description?: string
}

interface HintBase {
  readonly message: string
  readonly tool: string
}

/** Number of issues that a hint omits, because a hint contains at most 20 issues. */
interface Uncarried {
  readonly moreIssues?: number
}

interface CallHint extends HintBase, Uncarried {
  readonly issues: NonEmpty<Issue>
  readonly example?: JsonValue
  /**
   * The rejected arguments, as the model or the application sent them. The runtime truncates arguments with more than 10,000 characters and appends
   * their length. The truncated text is not valid JSON.
   */
  readonly rejected: JsonText
}

/**
 * Message for the model about a failed call: the `reason` of the failure, and the next `action` for the model. Each
 * reason allows only certain actions.
 */
export type RetryHint =
  | (CallHint & {
      readonly reason: 'missing_fields'
      readonly action: 'correct_call'
      readonly missing: NonEmpty<MissingField>
    })
  | (CallHint & { readonly reason: 'invalid_arguments'; readonly action: 'correct_call' })
  | (HintBase & { readonly reason: 'unknown_tool'; readonly action: 'replan'; readonly near: readonly string[] })
  | (HintBase & { readonly reason: 'denied'; readonly action: 'replan' | 'finish' })
  | (HintBase &
      Uncarried & {
        readonly reason: 'domain_rejection'
        readonly action: 'correct_call' | 'replan' | 'finish'
        readonly issues?: readonly Issue[]
        readonly example?: JsonValue
        /** Name of the failure, e.g. `order_shipped`. Absent if the tool does not declare the failure. */
        readonly failure?: string
        /** Data of the declared failure. Absent if the failure is not declared or has no data. */
        readonly data?: JsonValue
      })
  | (HintBase & {
      readonly reason: 'rate_limited'
      readonly action: 'wait'
      /**
       * Time to wait before the next attempt, in milliseconds. The runtime uses the first existing value in this order:
       * - the header `retry-after-ms` or `Retry-After`, or `x-ratelimit-reset` if `x-ratelimit-remaining` is 0;
       * - the property `retryAfterMs` or `retryAfterMilliseconds` of the error;
       * - the property `retryAfter`, `retry_after` or `retryAfterSeconds` of the error, in seconds.
       *
       * The runtime reads the headers from the properties `headers`, `response.headers` and `responseHeaders` of the
       * error. `retryAfterMs` is absent if the error contains no such value.
       */
      readonly retryAfterMs?: number
    })
  | (HintBase & {
      readonly reason: 'unavailable' | 'timeout'
      readonly action: 'wait' | 'replan'
      /**
       * Time to wait before the next attempt, in milliseconds. The runtime reads this time in the same way as for
       * `rate_limited`. Absent if the error contains no time.
       */
      readonly retryAfterMs?: number
    })
  | (HintBase &
      Uncarried & {
        readonly reason: 'malformed_result'
        readonly action: 'replan'
        /** Issues of the result. The runtime replaces strings of the service's response with `…`. Absent if there are no issues. */
        readonly issues?: readonly Issue[]
      })
  | (HintBase & { readonly reason: 'interrupted'; readonly action: 'replan' })
  | (HintBase & { readonly reason: 'unknown_outcome'; readonly action: 'replan' | 'finish' })
  | (HintBase & { readonly reason: 'cancelled'; readonly action: 'finish' })
  | (HintBase & { readonly reason: 'internal'; readonly action: 'replan' | 'finish' })

/** Reason why a call failed, for example `invalid_arguments`, `timeout` or `denied`. */
export type FailureReason = RetryHint['reason']

/** Selects the member of the union `Hint` whose property `reason` can have the value `Reason`. */
type HintFor<Hint extends { readonly reason: string }, Reason> = Hint extends unknown
  ? Reason extends Hint['reason']
    ? Hint
    : never
  : never

export type ActionFor<Reason extends FailureReason> = HintFor<RetryHint, Reason>['action']

/** Reasons of failures that invalid arguments cause. Hints with these reasons can contain an example of valid arguments. */
type ArgumentsReason = 'missing_fields' | 'invalid_arguments'

/** Optional property `Name`. Its type is `Value` if `Reason` is one of `Reasons`. For any other reason, the property must be `undefined`. */
type Fact<Name extends string, Value, Reason, Reasons> = {
  readonly [Each in Name]?: Reason extends Reasons ? Value | undefined : undefined
}

/** Properties from which an application creates a failure. `reason` determines which actions and other properties are allowed. */
export type FailureFacts<Reason extends FailureReason = FailureReason> = Reason extends FailureReason
  ? { readonly reason: Reason; readonly action?: ActionFor<Reason> | undefined } & Fact<
      'retryAfterMs',
      number,
      Reason,
      'rate_limited' | 'unavailable' | 'timeout'
    > &
      Fact<'issues', readonly Issue[], Reason, ArgumentsReason | 'domain_rejection' | 'malformed_result'> &
      Fact<'example', JsonValue, Reason, ArgumentsReason | 'domain_rejection'> &
      Fact<'near', readonly string[], Reason, 'unknown_tool'> &
      // True if the tool's schema accepted the arguments, but for example an additional schema rejected the arguments.
      // The hint then has no generated example.
      Fact<'noExample', boolean, Reason, ArgumentsReason>
  : never

/** `ToolFailure` that a function returns instead of throwing it, for example `aggregate`. The runtime recognizes a failure by these properties. */
export interface ReturnedFailure extends Error {
  readonly reason: FailureReason
  readonly noExample: boolean
}

/** Name and data of a failure that a tool declares. For a tool with several failures, generated code contains a union of such types. */
export interface TypedFailure {
  /** Name of the failure, e.g. `order_shipped`. */
  readonly reason: string
  /** Data of the failure; `undefined` if the failure has no data. */
  readonly data: unknown
}

/** Declaration of a failure in the spec of a tool. */
export interface FailureSpec {
  /** Name of the failure in snake_case, e.g. `order_shipped`. */
  readonly name: string
  /**
   * Message for models, as a template that the runtime fills with the data: `Order {{orderId}} has left the warehouse.`
   * Absent for a declared error status of an HTTP API, because models read the text of the response instead.
   */
  readonly hint?: string
  /** Next action that the hint recommends to the model. */
  readonly action: ActionFor<'domain_rejection'>
  /** JSON Schema of the data. Absent if the failure has no data. */
  readonly schema?: JsonSchema
  /** HTTP status of the failure. Present only for tools of an HTTP API. */
  readonly status?: number
  /** Explanation for developers. Absent if the design contains no explanation. */
  readonly description?: string
}

/**
 * Error of a failed call, for developers. Models can read `reason` and `message`. `issues` and `cause` are only for
 * logs.
 *
 * `reason` is a {@link FailureReason} or the name of a failure that the tool declares. The name of a declared failure
 * determines the type of `data`. Without the type argument, `reason` can be any string and `data` any value.
 *
 * @example
 * if (outcome.status === 'failed' && outcome.error.reason === 'order_shipped') log(outcome.error.data.orderId)
 */
export type ToolError<Declared extends TypedFailure = TypedFailure> =
  | (ErrorFacts<FailureReason> & { readonly data?: never })
  | DeclaredError<Declared>

// A union of failures becomes a union of errors: one error type for each failure.
type DeclaredError<Declared extends TypedFailure> = Declared extends TypedFailure
  ? ErrorFacts<Declared['reason']> & { readonly data: Declared['data'] }
  : never

interface ErrorFacts<Reason> {
  readonly reason: Reason
  readonly message: string
  /**
   * Schema violations in the arguments or in the result. If there are more than 100 issues, the array contains 100
   * issues and a last issue `more_issues` with the number of omitted issues. The runtime replaces strings from a
   * service or an adapter with `…`; `cause` contains the original strings. Absent if there are no issues. An outcome
   * from a store or a recording contains only the issues of its hint.
   */
  readonly issues?: readonly Issue[]
  /**
   * Thrown value, for logs. `console.log` of Node prints this value. The property is not enumerable, so that neither
   * JSON nor messages for models contain the value. Absent if no code threw an error.
   */
  readonly cause?: unknown
}
