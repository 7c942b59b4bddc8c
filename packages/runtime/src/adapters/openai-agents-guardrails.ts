import {
  Agent,
  type InputGuardrail as AgentsInputGuardrail,
  type OutputGuardrail as AgentsOutputGuardrail,
  type GuardrailFunctionOutput,
  RunContext,
  type ToolGuardrailFunctionOutput,
  type ToolInputGuardrailDefinition,
  type ToolOutputGuardrailDefinition,
} from '@openai/agents'
import type {
  GuardrailResult,
  Guardrails,
  InputContext,
  InputGuardrail,
  ToolGuardrailResult,
} from '../types/guardrail.js'
import type { JsonText, JsonValue } from '../types/json.js'

type Either<
  Plain extends { readonly name: string; readonly execute: (args: never) => Promise<GuardrailFunctionOutput> },
> =
  | Plain
  | (Omit<Plain, 'execute'> & {
      run(args: Parameters<Plain['execute']>[0]): Promise<{ readonly output: GuardrailFunctionOutput }>
    })

/** Guardrails of the OpenAI Agents SDK, in the formats of its agents and tools. */
export interface OpenAiAgentsGuardrails {
  /** Input guardrails, in the format of an agent's option `inputGuardrails`. */
  readonly input?: readonly Either<AgentsInputGuardrail>[]
  /** Output guardrails, in the format of an agent's option `outputGuardrails`. */
  // `any`: the guardrails of agents with any output type.
  readonly output?: readonly Either<AgentsOutputGuardrail<any, any>>[]
  /** Guardrails for arguments, in the format of a tool's option `inputGuardrails`. These guardrails apply to all tools of the agent. */
  readonly toolCall?: readonly Pick<ToolInputGuardrailDefinition<any>, 'name' | 'run'>[]
  /** Guardrails for results, in the format of a tool's option `outputGuardrails`. These guardrails apply to all tools of the agent. */
  readonly toolResult?: readonly Pick<ToolOutputGuardrailDefinition<any>, 'name' | 'run'>[]
}

/**
 * Converts guardrails of the OpenAI Agents SDK for `useGuardrails`. A triggered tripwire blocks the input or the output. For tools, `rejectContent`
 * makes the call fail with a message, and `throwException` stops the run. Each guardrail receives the `env` of the run as `context`, and an SDK
 * object with only the agent's name as `agent`. The property `outputInfo` of a guardrail's result becomes `info` in guardrail events. If the
 * guardrail ends the run, `run.stop` also contains `info`.
 *
 * @example
 * const agent = standard(driver).with(useGuardrails(openAiAgentsGuardrails({ input: [mathGuardrail] }))).build()
 */
export function openAiAgentsGuardrails({
  input = [],
  output = [],
  toolCall = [],
  toolResult = [],
}: OpenAiAgentsGuardrails): Guardrails<any> {
  return {
    input: input.map((guardrail): InputGuardrail => {
      const { name, runInParallel = true } = guardrail
      const check = async ({ text, env, meta }: InputContext): Promise<GuardrailResult> => {
        const args = { agent: agentOf(meta.agent), input: text, context: new RunContext<any>(env) }
        return resultOf(
          name,
          'execute' in guardrail ? await guardrail.execute(args) : (await guardrail.run(args)).output,
        )
      }
      return runInParallel ? { name, check } : { name, check, runInParallel: false }
    }),
    output: output.map((guardrail) => ({
      name: guardrail.name,
      check: async ({ text, value, env, meta }) => {
        const args = { agent: agentOf(meta.agent), agentOutput: value ?? text, context: new RunContext<any>(env) }
        const ended = 'execute' in guardrail ? await guardrail.execute(args) : (await guardrail.run(args)).output
        return resultOf(guardrail.name, ended)
      },
    })),
    toolCall: toolCall.map((guardrail) => ({
      name: guardrail.name,
      check: async ({ tool, call, arguments: payload, env, meta }) =>
        toolResultOf(
          guardrail.name,
          await guardrail.run(toolData(tool.toolName, call.toolCallId, JSON.stringify(payload), env, meta)),
        ),
    })),
    toolResult: toolResult.map((guardrail) => ({
      name: guardrail.name,
      check: async ({ tool, call, arguments: sent, text, outcome, env, meta }) => {
        const data = toolData(tool.toolName, call.toolCallId, sent, env, meta)
        const output = outcome.status === 'completed' ? outcome.result.data : text
        return toolResultOf(guardrail.name, await guardrail.run({ ...data, output }))
      },
    })),
  }
}

function agentOf(name: string | undefined): Agent<any, any> {
  return new Agent({ name: name ?? 'agent' })
}

function toolData(name: string, callId: string, sent: JsonText, env: unknown, { agent }: { readonly agent?: string }) {
  const toolCall = { type: 'function_call', name, callId, arguments: sent } as const
  return { agent: agentOf(agent), context: new RunContext<any>(env), toolCall }
}

function resultOf(name: string, { tripwireTriggered, outputInfo }: GuardrailFunctionOutput): GuardrailResult {
  if (tripwireTriggered !== true) return 'pass'
  return { action: 'block', message: `The guardrail '${name}' was triggered.`, info: infoOf(outputInfo) }
}

function toolResultOf(name: string, { behavior, outputInfo }: ToolGuardrailFunctionOutput): ToolGuardrailResult {
  switch (behavior.type) {
    case 'allow':
      return 'pass'
    case 'rejectContent':
      return { action: 'block', message: behavior.message, info: infoOf(outputInfo) }
    case 'throwException':
      return { action: 'stop', message: `The guardrail '${name}' was triggered.`, info: infoOf(outputInfo) }
  }
}

/** The runtime later drops an `info` that JSON cannot represent. */
function infoOf(outputInfo: unknown): JsonValue {
  return (outputInfo ?? null) as JsonValue
}
