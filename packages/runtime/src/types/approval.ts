import type { JsonText } from './json.js'

/**
 * Rule for later calls of a session. These calls need no new approval:
 *
 * - `call`: calls of the same tool with the same arguments.
 * - `tool`: all calls of the same tool.
 * - `{ fields }`: calls of the same tool in which the listed arguments have the same values.
 *
 * @example
 * const sameCustomer: ApprovalRule = { fields: ['customerId'] }
 */
export type ApprovalRule = 'call' | 'tool' | { readonly fields: readonly string[] }

/** Approval of a call, with details such as changed arguments. The string `'approve'` is an approval without details. */
export interface Approval<Arguments = unknown> {
  readonly decision: 'approve'
  /**
   * New arguments, which replace all arguments of the call. Pass decoded arguments, as `ApprovalRequest.arguments` contains them. The new arguments
   * must match the schema of the tool. The registration's option `payloadAdapter` does not change the new arguments. Default:
   * the arguments of the call.
   */
  readonly arguments?: Arguments | undefined
  /** Name or id of the approver, recorded in `provenance.approval` of the outcome. Default: no name. */
  readonly by?: string | undefined
  /**
   * Rule for later calls: the session approves calls that match the rule, and does not ask an approver again. Requires a session of a
   * `SessionRegistry` or a durable session. Default: each later call needs a new approval.
   */
  readonly remember?: ApprovalRule | undefined
}

/** Denial of a call, with its details. The string `'deny'` is a denial without details. */
export interface Denial {
  readonly decision: 'deny'
  /** Reason of the denial, which the model reads. Default: a general message. */
  readonly reason?: string | undefined
  /** Name or id of the approver, recorded in `provenance.denial` of the outcome. Default: no name. */
  readonly by?: string | undefined
}

/** Record of an approval: the approver, the time and the changed arguments of a call. */
export interface ApprovalRecord {
  /** Name or id of the approver. Absent if the approval contains no name. */
  readonly by?: string
  /** Time of the approval in milliseconds since the Unix epoch. */
  readonly at: number
  /** Arguments with which the approver replaced the arguments of the call. Absent if the approver changed no arguments. */
  readonly edited?: JsonText
  /** True if the session approved the call because of an earlier approval. Absent if an approver approved this call. */
  readonly remembered?: true
}

/** Approval that a session stores. The session also approves the later calls that `rule` selects. Plain data that can be serialized as JSON. */
export type RememberedApproval = {
  /** Tool id, e.g. `payments.refundPayment`. */
  readonly tool: string
  /** Name of the agent whose calls the session approves. Absent if the calls have no agent. */
  readonly agent?: string
  /** Name or id of the approver. Absent if the approval contains no name. */
  readonly by?: string
  /** Time of the approval in milliseconds since the Unix epoch. */
  readonly at: number
} & (
  | { readonly rule: 'tool' }
  | {
      readonly rule: 'call'
      /** Arguments of the approved calls as canonical JSON text. */
      readonly arguments: JsonText
    }
  | {
      readonly rule: 'fields'
      /** Name of an argument → value of this argument in the approved calls, as canonical JSON text. */
      readonly fields: Readonly<Record<string, JsonText>>
    }
)
