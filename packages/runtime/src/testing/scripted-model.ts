import type { ModelDriver, ModelRequest } from '../contract/model-driver.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { modelAnswer, type ScriptedAnswer } from './scripted-answer.js'
import { takingCompiler } from './taking-compiler.js'

/** One answer of a script: given, thrown, or made of what the model is asked. */
export type ScriptStep = ScriptedAnswer | Error | ((request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer>)

/** A model that answers from a script. */
export interface ScriptedModel extends ModelDriver {
  /** What it was asked, in the order in which it was asked; the messages as a message compiler made them. */
  readonly requests: readonly ModelRequest[]
  /** How many steps of the script are left. */
  readonly stepsLeft: number
}

/**
 * A model for tests: answers with one step of its script after the other, whoever asks. An `Error` is thrown, as a driver
 * throws one; a function is called with the request. A model that is asked once more than its script is long throws a
 * `ToolFailure` that says so, which ends the run as `failed`.
 *
 * @example
 * const model = scriptedModel([calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-1001' } }), says('It has shipped.')])
 * const support = registerSupport(new Runtime(), { planner: modelPlanner(model), toolsets: { orders: { client } } })
 */
export function scriptedModel(
  steps: readonly ScriptStep[],
  { name = 'scripted' }: { name?: string } = {},
): ScriptedModel {
  const script = [...steps]
  const requests: ModelRequest[] = []
  const driver = takingCompiler({
    name,
    ask: async (request) => {
      requests.push(request)
      const step = script[requests.length - 1]
      if (step === undefined) throw outOfScript(name, script.length, request)
      if (step instanceof Error) throw step
      return modelAnswer(typeof step === 'function' ? await step(request) : step, request)
    },
  })
  return {
    ...driver,
    requests,
    get stepsLeft(): number {
      return Math.max(0, script.length - requests.length)
    },
  }
}

function outOfScript(name: string, steps: number, { messages, meta }: ModelRequest): ToolFailure {
  const length = steps === 1 ? '1 step' : `${steps} steps`
  const message = `The script of the model '${name}' has ${length}, and agent '${meta.agent}' asked for one more`
  const last = messages.at(-1)
  return new ToolFailure(
    `${message}${last === undefined ? '' : `, after a message of role '${last.role}'`}: add a step.`,
    {
      reason: 'internal',
      action: 'finish',
    },
  )
}
