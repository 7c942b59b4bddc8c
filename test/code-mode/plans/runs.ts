import { Runtime, renderForModel } from '@toolgen/runtime'
import { type CodeModeOptions, codeMode } from '@toolgen/runtime/code-mode'
import type { FakeCall } from './fakes.js'
import { plainAnswer } from './plain-calls.js'
import { fakesOf, type JudgedPlan } from './verdicts.js'

/** Calls and result of a run. */
interface PlanRun {
  readonly calls: readonly FakeCall[]
  readonly value: unknown
}

/** Executes a plan with fakes, once with plain calls and once as a program. */
export async function comparedRuns(
  { plan, tools, code }: JudgedPlan,
  options: CodeModeOptions,
): Promise<{ readonly plain: PlanRun; readonly program: PlanRun }> {
  const one = fakesOf(tools)
  const value = await plainAnswer(plan, async (tool, args) => {
    const spec = tools.get(tool)
    const { toolName = tool } = one.tools.specs.find(({ id }) => id === `${spec?.toolset}.${spec?.name}`) ?? {}
    const outcome = await one.tools.execute({ tool: toolName, arguments: JSON.stringify(args) })
    if (outcome.status !== 'completed') throw new Error(`${plan.id}: ${renderForModel(outcome)}`)
    return outcome.result.data
  })
  const other = fakesOf(tools)
  const programs = new Runtime().registerToolset(codeMode(other.tools, { ...options, comments: 'none' }))
  const outcome = await programs.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
  if (outcome.status !== 'completed') throw new Error(`${plan.id}: ${renderForModel(outcome)}`)
  return {
    plain: { calls: one.calls, value: JSON.parse(JSON.stringify(value)) },
    program: { calls: other.calls, value: JSON.parse(outcome.json).value },
  }
}
