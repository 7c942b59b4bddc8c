import { quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolder, hasData } from '../data.js'
import { agentOf, planConversations } from './plans/plan-tokens.js'
import { comparedRuns } from './plans/runs.js'
import { type JudgedPlan, judgedPlans, missesContradiction, verdictOf } from './plans/verdicts.js'

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
})
