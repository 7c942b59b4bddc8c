import { type FunctionTool, RunContext, tool } from '@openai/agents'
import type { ApprovingAdapter, CallableTools, FrameworkOptions } from './framework-options.js'
import { argumentsText, type FrameworkTool, frameworkTools } from './framework-tools.js'
import { textForModel } from './tool-answer.js'

/** A tool for an agent of any context. */
// `any`: the context is the agent's, and the arguments are what the tool's own codec takes.
export type OpenAiAgentsTool = FunctionTool<any, any, string>

type Parameters = Extract<FunctionTool['parameters'], { additionalProperties: true }>

/**
 * The tools of an agent, toolset or session as function tools of the OpenAI Agents SDK. The SDK lets all arguments pass
 * that are JSON: the tool's own codec says what is wrong with them, and the model reads what `renderForModel` says. The
 * abort signal and the tool call id are the SDK's. It has no place for updates: take them from `onEvent` of the context.
 *
 * `context` is what calls run with, or a function of the SDK's run context. With `approvals: 'framework'` tools whose
 * design declares a confirmation have `needsApproval`. Schemas are in strict form where that can say them; `strict: false`:
 * none is.
 *
 * @throws {TypeError} where `only` names a tool that there is not, or server-owned fields cannot be filled.
 *
 * @example
 * const tools = openAiAgentsTools(support, { context: ({ context }: RunContext<User>) => ({ sessionId: context.session }) })
 * const agent = new Agent<User>({ name: 'support', tools })
 */
export const openAiAgentsTools: ApprovingAdapter<RunContext<any>, OpenAiAgentsTool[]> = (
  tools: CallableTools<never>,
  options: FrameworkOptions<RunContext<any>> = {},
) => frameworkTools(tools, { strict: true, ...options }).map(agentsTool)

function agentsTool(made: FrameworkTool<RunContext<any>>): OpenAiAgentsTool {
  const { spec, needsApproval } = made
  const parameters: Parameters = JSON.parse(made.schema)
  const parts = tool<Parameters, any>({
    name: spec.toolName,
    description: spec.description,
    parameters,
    // Else the SDK would write the schema anew, and take nulls out of arguments by rules of its own.
    strict: false,
    ...(needsApproval && {
      needsApproval: async (_: RunContext, input: unknown) => needsApproval(argumentsText(input)),
    }),
    execute: async (input, context = new RunContext(), { toolCall, signal } = {}) =>
      textForModel(
        await made.call({ asked: context, arguments: argumentsText(input), toolCallId: toolCall?.callId, signal }),
      ),
  })
  // The SDK writes `_` for the `-` of a name.
  return { ...parts, name: spec.toolName, strict: made.isStrict }
}
