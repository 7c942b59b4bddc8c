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
 * A framework asks about the tools whose design declares a confirmation, where the arguments are valid; who calls the tool
 * then, has been told yes. All else that layers ask about, also beneath the call, is the given approval's to answer, and
 * denied where there is none. What layers make of the arguments afterwards is the application's own doing: it is not asked
 * about again.
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
      const isCall = ({ tool, toolCallId }: ApprovalRequest): boolean => tool === id && toolCallId === call.toolCallId
      const approve: HasApproval['approval']['approve'] = async (request) => {
        if (wasAsked && isCall(request)) return 'approve'
        return env?.approval?.approve(request) ?? 'deny'
      }
      return { ...env, approval: { approve } }
    },
  }
}
