import { expect, test } from 'vitest'
import { serviceCatalogue } from '../../diagnostics/catalogue/service.js'
import { serviceCodes } from './service-code.js'

test('every code is explained and every explanation has a code', () => {
  expect(Object.keys(serviceCatalogue).sort()).toEqual([...serviceCodes].sort())
})
