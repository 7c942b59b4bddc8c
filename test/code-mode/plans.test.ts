import { Runtime } from '@toolgen/runtime'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolder, hasData } from '../data.js'
import { type Mutant, mutantsOf, mutationKinds } from './plans/mutations.js'
import { agentOf, planConversations } from './plans/plan-tokens.js'
import { comparedRuns } from './plans/runs.js'
import { fakesOf, type JudgedPlan, judgedPlans, missesContradiction, verdictOf } from './plans/verdicts.js'

const checker = typescriptChecker({ timeLimitMs: 120_000 })
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

describe.skipIf(!hasData)('the 151 plans of NESTFUL as programs (needs the data folder)', () => {
  let all: readonly JudgedPlan[] = []
  beforeAll(async () => {
    all = await judgedPlans(dataFolder() ?? '', checker)
  })

  it('pass the check exactly if they agree with their specification', () => {
    expect(all).toHaveLength(151)
    const agreeing = all.filter((each) => verdictOf(each) === 'agrees')
    const accepted = all.filter(({ hint }) => hint === '')
    expect(accepted.map(({ plan }) => plan.id)).toEqual(agreeing.map(({ plan }) => plan.id))
    expect(accepted).toHaveLength(67)
  })

  it('are rejected with a message that names a contradiction', () => {
    const rejected = all.filter(({ hint }) => hint !== '')
    expect(rejected.filter(missesContradiction).map(({ plan, hint }) => `${plan.id}: ${hint}`)).toEqual([])
  })

  it('make the same calls and return the same values as plain calls', async () => {
    for (const judged of all.filter(({ hint }) => hint === '').slice(0, 15)) {
      const { plain, program } = await comparedRuns(judged, { checker, sandbox })
      expect(program, judged.plan.id).toEqual(plain)
    }
  })

  it('need two turns and at most 0.42 of the input tokens, for plans of three calls and more', async () => {
    const sums = { plain: 0, program: 0 }
    for (const { plan, tools } of all.filter((each) => each.plan.steps.length >= 3)) {
      const options = { checker, sandbox }
      const { plain, program } = await planConversations(plan, tools, agentOf(plan, tools, 20), options)
      expect(program.turns).toBe(2)
      sums.plain += plain.input
      sums.program += program.input
    }
    expect(sums.program / sums.plain).toBeLessThanOrEqual(0.42)
  })

  describe('with one mistake each', () => {
    let mutants: readonly { readonly judged: JudgedPlan; readonly mutant: Mutant }[] = []
    beforeAll(() => {
      const accepted = all.filter(({ hint }) => hint === '')
      mutants = accepted.flatMap((judged, seed) =>
        mutantsOf(judged.program, judged.tools, seed).map((mutant) => ({ judged, mutant })),
      )
    })

    it.each(mutationKinds)('have no effect: %s', async (kind) => {
      const found = mutants.filter(({ mutant }) => mutant.kind === kind)
      // Some of each kind; `npm run bench -- code-mode` runs all.
      const chosen = found.filter((_, at) => at % Math.ceil(found.length / 4) === 0)
      expect(chosen.length).toBeGreaterThan(2)
      for (const { judged, mutant } of chosen) expect(await effects(judged, mutant), mutant.code).toEqual([])
    })
  })

  /** Runs a program. Returns its calls, or its outcome if it was not rejected. */
  async function effects({ tools }: JudgedPlan, { code }: Mutant): Promise<readonly unknown[]> {
    const { tools: bound, calls } = fakesOf(tools)
    const program = new Runtime().registerToolset(codeMode(bound, { checker, sandbox, comments: 'none' }))
    const outcome = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
    return outcome.status === 'failed' ? calls : [outcome]
  }
})
