import { expect, test } from 'vitest'
import { catalogue } from '../diagnostics/catalogue.js'
import { serviceCodes } from './reasons.js'

test('every code is explained and every explanation has a code', () => {
  const explained = Object.keys(catalogue).filter((code) => code.startsWith('TG4'))
  expect(explained).toEqual([...serviceCodes].sort())
})
