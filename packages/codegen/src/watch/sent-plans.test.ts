import { expect, it } from 'vitest'
import { SentPlans } from './watch-project.js'

const plan = (texts: Readonly<Record<string, string>>) => ({
  diagnostics: [],
  root: '/project',
  read: [],
  repeatable: 'yes' as const,
  installed: [],
  planned: {
    output: { folder: '/project/gen', shown: 'gen' },
    files: Object.entries(texts).map(([path, text]) => ({ path, text })),
    lock: JSON.stringify(texts),
  },
})

it('what did not change is not sent again, and stays the same object', () => {
  const [from, to] = [new SentPlans(), new SentPlans()]
  const first = to.unpack(structuredClone(from.pack(plan({ a: '1', b: '2' }))))
  const sent = from.pack(plan({ b: '2', c: '3', a: 'other' }))
  expect(sent.planned?.files).toEqual([1, { path: 'c', text: '3' }, { path: 'a', text: 'other' }])
  const second = to.unpack(structuredClone(sent))
  expect(second).toEqual(plan({ b: '2', c: '3', a: 'other' }))
  expect(second.planned?.files[0]).toBe(first.planned?.files[1])
})

it('a plan that came to nothing does not count', () => {
  const [from, to] = [new SentPlans(), new SentPlans()]
  const whole = plan({ a: '1' })
  const { planned: _, ...failed } = whole
  for (const one of [whole, failed, whole]) expect(to.unpack(structuredClone(from.pack(one)))).toEqual(one)
})
