import { Runtime, renderForModel } from '@toolgen/runtime'
import { codeMode, type ProgramChecker, type Sandbox } from '@toolgen/runtime/code-mode'
import { type Fakes, fakeTools } from './fakes.js'
import { PlanJudge, type PlanProblem } from './judge.js'
import { nestful, type Plan, type Tools } from './nestful.js'
import { codeOf, type Program, pathsOf, programOf } from './plan-program.js'

/** A plan as a program, with the verdict of the checker and an independent one. */
export interface JudgedPlan {
  readonly plan: Plan
  readonly tools: Tools
  readonly program: Program
  /** Source of the program. */
  readonly code: string
  /** Message for the model if the program does not pass the check, otherwise empty. */
  readonly hint: string
  /** Problems that the judge finds without the checker; empty if the plan agrees with its specification. */
  readonly problems: readonly PlanProblem[]
}

/** Sandbox that starts no program. */
const idle: Sandbox = {
  run: async () => ({ status: 'failed', reason: 'error', message: 'Not started.', logs: [] }),
  close: async () => undefined,
}

/** Translates all plans of NESTFUL to programs and judges them twice. */
export async function judgedPlans(dataFolder: string, checker: ProgramChecker): Promise<readonly JudgedPlan[]> {
  const { plans, tools } = nestful(dataFolder)
  const judged: JudgedPlan[] = []
  for (const [source, own] of Object.entries(tools)) {
    const judge = new PlanJudge(own)
    const program = new Runtime().registerToolset(
      codeMode(fakesOf(own).tools, { checker, sandbox: idle, comments: 'none' }),
    )
    for (const plan of plans.filter((each) => each.source === source)) {
      const translated = programOf(plan, pathsOf(own))
      const code = codeOf(translated)
      const outcome = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
      const text = renderForModel(outcome)
      const isRejected = text.startsWith('The program was not run.')
      judged.push({
        plan,
        tools: own,
        program: translated,
        code,
        hint: isRejected ? text : '',
        problems: judge.problems(plan),
      })
    }
  }
  return judged
}

/** Registers fakes of the tools of a specification. */
export const fakesOf = (tools: Tools): Fakes => fakeTools([...tools.values()])

/** Returns the verdict of the judge. */
export function verdictOf({ problems }: JudgedPlan): 'agrees' | PlanProblem['verdict'] {
  if (problems.some(({ verdict }) => verdict === 'contradicts')) return 'contradicts'
  return problems.length === 0 ? 'agrees' : 'silent'
}

/** Returns true if the hint of a rejected plan names none of the contradictions that the judge found. */
export const missesContradiction = ({ hint, problems }: JudgedPlan): boolean =>
  !problems.some(({ name }) => hint.includes(name.replaceAll(/\W+/g, '_')) || hint.includes(name))
