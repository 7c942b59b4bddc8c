import { givenDecision } from '../agent/given-decision.js'
import type { AskedModel, HeardModel } from '../contract/hook.js'
import type { ModelDriver } from '../contract/model-driver.js'
import type { Planner } from '../contract/planner.js'
import { changesOf } from './changes-of.js'
import { hooksOf, type InstalledHook } from './installed-hook.js'
import { decisionSaid, modelSaid, rewordedAnswer, rewordedDecision } from './reworded.js'
import type { StepFrames } from './step-frames.js'
import { stopBy } from './step-hooks.js'

/** The hooks around questions to a model, with the steps that they belong to. */
export interface ModelHooks {
  readonly hooks: readonly InstalledHook[]
  readonly frames: StepFrames
}

/** Whether hooks are to be told of what a model is asked. */
export function hasModelHooks(hooks: readonly InstalledHook[]): boolean {
  return hooks.some(({ phase }) => phase === 'beforeModel' || phase === 'afterModel')
}

/** A driver with the hooks around each of its answers. */
export function hookedDriver(driver: ModelDriver, around: ModelHooks): ModelDriver {
  const ask = hooked(around, { ask: (request) => driver.ask(request), said: modelSaid, reworded: rewordedAnswer })
  return { name: driver.name, ask }
}

/** A planner with the hooks around each of its decisions. */
export function hookedPlanner(planner: Planner, around: ModelHooks): Planner {
  const ask = async (request: Parameters<Planner>[0]) => givenDecision(await planner(request))
  return hooked(around, { ask, said: decisionSaid, reworded: rewordedDecision })
}

type Asked = Omit<AskedModel, 'turn'>

/** Somebody who is asked: a model, or a planner in its place. */
interface Oracle<Request extends Asked, Answer> {
  readonly ask: (request: Request) => Promise<Answer>
  readonly said: (answer: Answer) => Omit<HeardModel, 'meta' | 'turn' | 'messages'>
  /** The answer in other words. */
  readonly reworded: (answer: Answer, text: string) => Answer
}

function hooked<Request extends Asked, Answer>(
  { hooks, frames }: ModelHooks,
  { ask, said, reworded }: Oracle<Request, Answer>,
): (request: Request) => Promise<Answer> {
  const before = hooksOf(hooks, 'beforeModel')
  const after = hooksOf(hooks, 'afterModel')
  return async (request) => {
    const { meta } = request
    const { env, turn, stops } = frames.of(meta)
    let asked = request
    for (const hook of before) {
      const { messages, tools, runStart, fields } = (await changesOf(hook, { ...asked, env, turn })) ?? {}
      asked = {
        ...asked,
        ...(messages !== undefined && { messages: Object.freeze([...messages]) }),
        ...(tools !== undefined && { tools: Object.freeze([...tools]) }),
        ...(runStart !== undefined && { runStart }),
        ...(fields !== undefined && { fields }),
      }
    }
    let answer: Answer = await ask(asked)
    for (const hook of after) {
      const heard = { ...said(answer), env, meta, turn, messages: asked.messages }
      const { text, stop } = (await changesOf(hook, heard)) ?? {}
      if (text !== undefined) answer = reworded(answer, text)
      if (stop !== undefined) stops.push(stopBy(hook, stop))
    }
    return answer
  }
}
