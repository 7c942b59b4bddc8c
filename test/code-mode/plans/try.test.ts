import { apiDeclarations, typescriptChecker } from '@toolgen/runtime/code-mode'
import { it } from 'vitest'
import { dataFolder } from '../../data.js'
import { mutantsOf } from './mutations.js'
import { fakesOf, judgedPlans } from './verdicts.js'

it('x', async () => {
  const checker = typescriptChecker({ timeLimitMs: 60000 })
  const all = (await judgedPlans(dataFolder() ?? '', checker)).filter((j) => j.hint === '')
  const counts: any = {}
  const missed: string[] = []
  const seen = new Set<string>()
  for (const [n, j] of all.entries()) {
    const { text } = apiDeclarations(fakesOf(j.tools).tools.specs, { comments: 'none' })
    for (const m of mutantsOf(j.program, j.tools, n)) {
      counts[m.kind] ??= [0, 0]
      counts[m.kind][0]++
      if (seen.has(m.code)) counts.dup = (counts.dup ?? 0) + 1
      seen.add(m.code)
      const r = await checker.check(text, m.code)
      if (!r.ok) counts[m.kind][1]++
      else if (!m.kind.startsWith('other')) missed.push(`${j.plan.id} ${m.kind}\n${m.code}`)
    }
  }
  console.log(counts, seen.size)
  console.log(missed.length, missed.slice(0, 12).join('\n\n'))
  await checker.close()
}, 400000)
