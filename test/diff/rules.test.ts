import { expect, it } from 'vitest'
import { rules } from '../../packages/codegen/src/contracts/rules.js'
import { ruleExamples } from './rule-examples.js'
import { changesOf } from './sketch.js'

it('every rule has an example, and every example a rule', () => {
  expect([...ruleExamples.keys()].sort()).toEqual(rules.map(({ id }) => id).sort())
})

it.each(rules.map((rule) => [rule.id, rule] as const))('%s is told where it applies, and not beside it', (id, rule) => {
  const example = ruleExamples.get(id)
  if (example === undefined) throw new Error(`no example of ${id}`)
  const told = changesOf(example.was, example.is).filter((change) => change.rule === id)
  expect(told).toMatchObject([{ category: rule.category, severity: rule.severity }])
  const { was, is } = example.not
  expect(changesOf(was, is).map((change) => change.rule)).not.toContain(id)
})

it('an example of one rule breaks nothing else, but for what cannot be told apart', () => {
  const others = rules.flatMap(({ id, severity }) => {
    const example = ruleExamples.get(id)
    if (example === undefined || severity === 'breaking') return []
    return changesOf(example.was, example.is)
      .filter((change) => change.severity === 'breaking')
      .map(({ rule }) => `${id}: ${rule}`)
  })
  expect(others).toEqual([])
})

it('says of every rule what changed, why it matters and what to do', () => {
  for (const { id, summary, why, next } of rules) {
    expect([id, /^[a-z]+(-[a-z]+)+$/.test(id), summary.endsWith('.'), why.endsWith('.'), next.endsWith('.')]).toEqual([
      id,
      true,
      false,
      true,
      true,
    ])
  }
})
