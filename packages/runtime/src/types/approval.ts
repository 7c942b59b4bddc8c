import type { JsonText } from './json.js'

/**
 * Determines which later calls of the session are approved without a new question: `call` for calls of the same tool
 * with the same arguments, `{ fields }` for calls of the same tool in which these arguments have equal values, `tool`
 * for all calls of the same tool.
 *
 * @example
 * const sameCustomer: ApprovalRule = { fields: ['customerId'] }
 */
export type ApprovalRule = 'call' | 'tool' | { readonly fields: readonly string[] }

/** Approval of a call, with its details. The string `'approve'` is an approval without details. */
export interface Approval<Arguments = unknown> {
  readonly decision: 'approve'
  /**
   * Arguments with which the tool runs instead of those of the call: all arguments, in the form in which the approver received them. They
   * must match the schema of the tool. The payload adapter does not change them. Default: the arguments of the call.
   */
  readonly arguments?: Arguments | undefined
  /** Name or id of the approver, for `provenance.approval`. Default: none. */
  readonly by?: string | undefined
  /** Rule by which the session approves later calls itself. Requires a session of a `SessionRegistry`, or a durable session. Default: later calls ask again. */
  readonly remember?: ApprovalRule | undefined
}

/** Denial of a call, with its details. The string `'deny'` is a denial without details. */
export interface Denial {
  readonly decision: 'deny'
  /** Reason of the denial, which the model reads. Default: a general message. */
  readonly reason?: string | undefined
  /** Name or id of the approver, for `provenance.denial`. Default: none. */
  readonly by?: string | undefined
}

/** Record of the approval with which a tool ran. */
export interface ApprovalRecord {
  /** Name or id of the approver. Absent if the approver did not state it. */
  readonly by?: string
  /** Time of the approval in milliseconds since the Unix epoch. */
  readonly at: number
  /**
   * Arguments that the approver set in place of the call's own arguments. Absent if the approver did not change the
   * arguments.
   */
  readonly edited?: JsonText
  /** True if an earlier approval of the session covered the call, so that nobody was asked. */
  readonly remembered?: true
}

/** Earlier approval that a session remembers. `rule` states which calls it covers. Plain data that can be serialized as JSON. */
export type RememberedApproval = {
  /** Tool id, e.g. `payments.refundPayment`. */
  readonly tool: string
  /** Name of the agent whose calls are covered. Absent for calls without an agent. */
  readonly agent?: string
  /** Name or id of the approver. Absent if the approver did not state it. */
  readonly by?: string
  /** Time of the approval in milliseconds since the Unix epoch. */
  readonly at: number
} & (
  | { readonly rule: 'tool' }
  | {
      readonly rule: 'call'
      /** Arguments of the covered calls as canonical JSON text. */
      readonly arguments: JsonText
    }
  | {
      readonly rule: 'fields'
      /** Field of the arguments → its value in the covered calls as canonical JSON text. */
      readonly fields: Readonly<Record<string, JsonText>>
    }
)
