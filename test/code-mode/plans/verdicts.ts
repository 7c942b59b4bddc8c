import { apiDeclarations, type ProgramChecker, type ProgramIssue } from '@toolgen/runtime/code-mode'
import { type Fakes, fakeTools } from './fakes.js'
import { PlanJudge, type PlanProblem } from './judge.js'
import { nestful, type Plan, type Tools } from './nestful.js'
import { pathsOf, programOf } from './plan-program.js'

/** A plan as a program, with the verdict of the checker and an independent one. */
export interface JudgedPlan {
  readonly plan: Plan
  readonly tools: Tools
  readonly code: string
  /** Problems that the checker reports; empty if the program may run. */
  readonly issues: readonly ProgramIssue[]
  /** Problems that the judge finds without the checker; empty if the plan agrees with its specification. */
  readonly problems: readonly PlanProblem[]
}

/** Translates all plans of NESTFUL to programs and judges them twice. */
export async function judgedPlans(dataFolder: string, checker: ProgramChecker): Promise<readonly JudgedPlan[]> {
  const { plans, tools } = nestful(dataFolder)
  const judged: JudgedPlan[] = []
  for (const [source, own] of Object.entries(tools)) {
    const { text } = apiDeclarations(fakesOf(own).tools.specs, { comments: 'none' })
    const judge = new PlanJudge(own)
    for (const plan of plans.filter((each) => each.source === source)) {
      const code = programOf(plan, pathsOf(own))
      const checked = await checker.check(text, code)
      const issues = checked.ok ? [] : checked.issues
      judged.push({ plan, tools: own, code, issues, problems: judge.problems(plan) })
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
