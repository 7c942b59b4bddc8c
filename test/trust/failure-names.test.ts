import { expect, it } from 'vitest'
import { isFailureName } from '../../packages/codegen/src/ir/name-rules.js'
import { isFailureReason, LEGAL_ACTIONS } from '../../packages/runtime/src/call/tool-failure.js'

it('no tool can declare a failure with the name of a reason of the runtime', () => {
  const reasons = Object.keys(LEGAL_ACTIONS)
  expect(reasons.filter(isFailureReason)).toEqual(reasons)
  expect(reasons.filter(isFailureName)).toEqual([])
})
