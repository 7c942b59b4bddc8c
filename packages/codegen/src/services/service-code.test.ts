import { expect, test } from 'vitest'
import { serviceCatalogue } from '../diagnostics/service-codes.js'
import { serviceCodes } from './reasons.js'

test('every code is explained and every explanation has a code', () => {
  expect(Object.keys(serviceCatalogue).sort()).toEqual([...serviceCodes].sort())
})
