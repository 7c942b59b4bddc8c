import type { ToolCall } from '../contract/call.js'
import type { JsonText } from '../contract/json.js'
import type { Mutable } from '../contract/mutable.js'
import type { AgentToolSpec } from '../contract/spec.js'
import { unheard } from '../event/unheard.js'
import { openAiTool } from '../projection/openai/openai-tool.js'
import { argumentRestorer } from '../projection/openai/restore-arguments.js'
import { frameworkApproval } from './approval.js'
import type { Answered, CallableTools } from './callable-tools.js'
import { failedBefore } from './failed-before.js'
import type { FrameworkOptions } from './framework-options.js'

/** A call as a framework asks for it. */
export interface FrameworkCall<Asked> {
  /** What the framework says of the call, for whoever says what it runs with. */
  readonly asked: Asked
  readonly arguments: JsonText
  /** Absent: the runtime makes one. */
  readonly toolCallId?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onUpdate?: (update: JsonText) => void
}

/** A tool in terms that every framework has. */
export interface FrameworkTool<Asked> {
  readonly spec: AgentToolSpec
  /** JSON Schema of the arguments, as text: some frameworks write into the one that they get. */
  readonly schema: JsonText
  /** Whether the schema is in the form of OpenAI's strict mode. */
  readonly isStrict: boolean
  /**
   * Whether the framework is to ask its user before it calls: present where it asks for approval and the design declares
   * a confirmation. Nobody is asked about arguments that are not valid.
   */
  readonly needsApproval?: (json: JsonText) => boolean
  /** One call on the one path of all calls. Never rejects. */
  call(call: FrameworkCall<Asked>): Promise<Answered>
}

/** A tool of a framework over the tool of a toolset, agent or session. */
export function frameworkTool<Asked>(
  tools: CallableTools<never>,
  spec: AgentToolSpec,
  options: FrameworkOptions<Asked>,
): FrameworkTool<Asked> {
  const { context, strict = false, onOutcome } = options
  const { tool, strict: isStrict } = openAiTool(spec, { strict })
  const restore = isStrict ? argumentRestorer(spec) : (json: JsonText) => json
  const approval = options.approvals === 'framework' ? frameworkApproval(spec) : undefined

  const answered = async ({ asked, signal, onUpdate }: FrameworkCall<Asked>, call: ToolCall): Promise<Answered> => {
    try {
      const given: object = (typeof context === 'function' ? await context(asked) : context) ?? {}
      const env = approval?.envOf(given, call)
      return await tools.execute(call, { ...given, ...(env && { env }), signal, onUpdate })
    } catch (error) {
      return failedBefore(call, error)
    }
  }
  return {
    spec,
    schema: JSON.stringify(tool.function.parameters),
    isStrict,
    ...(approval && spec.confirmation && { needsApproval: (json) => approval.isAsked(restore(json)) }),
    call: async (asked) => {
      const call: Mutable<ToolCall> = { tool: spec.wireName, arguments: restore(asked.arguments) }
      if (asked.toolCallId !== undefined) call.toolCallId = asked.toolCallId
      const answer = await answered(asked, call)
      if (onOutcome !== undefined) unheard(() => onOutcome(answer, asked.asked))
      return answer
    },
  }
}
