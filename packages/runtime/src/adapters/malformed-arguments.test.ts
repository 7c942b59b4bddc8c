import { expect, it } from 'vitest'
import { argumentsText, malformedArguments } from './tool-output.js'

it('serializes valid arguments, and keeps malformed ones as the model wrote them', () => {
  expect(argumentsText({ id: 'A-1' })).toBe('{"id":"A-1"}')
  expect(argumentsText(malformedArguments('{"id":'))).toBe('{"id":')
})

it('has no text for arguments that cannot be written', () => {
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level += 1) deep = [deep]
  expect(argumentsText({ deep })).toBe('')
})
