import { payloadCodec } from '../codec/payload-codec.js'
import type { ToolCall } from '../contract/call.js'
import type { ApprovalRequest, HasApproval } from '../contract/capability.js'
import type { Codec } from '../contract/codec.js'
import type { JsonText } from '../contract/json.js'
import type { AgentToolSpec } from '../contract/spec.js'

/** The approval of one tool by the framework that calls it. */
export interface FrameworkApproval {
  /** Whether the framework asks its user before it makes a call with these arguments. */
  isAsked(json: JsonText): boolean
  /** The env of a call that the framework makes: its approval says yes to what the framework has asked about. */
  envOf(given: { readonly env?: object }, call: ToolCall): HasApproval
}

/**
 * Approvals of a framework. It asks about tools whose design declares a confirmation, where the arguments are valid; a call
 * that it makes then is approved, with the arguments that its user saw. The approval of the context decides about everything
 * else: other arguments, which a layer put in their place, and calls of nested runs. Without one these are denied.
 */
export function frameworkApproval({ id, confirmation, arguments: schema }: AgentToolSpec): FrameworkApproval {
  let codec: Codec<never, unknown> | undefined
  const isAsked = (json: JsonText): boolean => {
    if (confirmation === undefined) return false
    codec ??= payloadCodec({ schema })
    return codec.decode(json).ok
  }
  return {
    isAsked,
    envOf: ({ env }: { readonly env?: Partial<HasApproval> }, call) => {
      const wasAsked = isAsked(call.arguments)
      const isCall = ({ tool, toolCallId, rawArguments }: ApprovalRequest): boolean =>
        tool === id && toolCallId === call.toolCallId && rawArguments === call.arguments
      const approve: HasApproval['approval']['approve'] = async (request) => {
        if (wasAsked && isCall(request)) return 'approve'
        return env?.approval?.approve(request) ?? 'deny'
      }
      return { ...env, approval: { approve } }
    },
  }
}
