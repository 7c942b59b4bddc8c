import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { apis, features } from './apis.js'

const page = readFileSync(new URL('../../docs/model-drivers.md', import.meta.url), 'utf8')

/** Rows of the table of features: name of the feature → cells. */
const [header = [], , ...rows] = page
  .split('\n')
  .filter((line) => /^\| (feature|.* \|.*\|.*\|.*\|.*) \|$|^\|(---\|){6}$/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

it('the table of features has all drivers, and "no" for each feature that the suite does not test', () => {
  expect(header).toEqual(['feature', ...apis.map(({ name }) => `\`${name}\``)])
  expect(rows.map(([feature]) => feature)).toEqual(Object.keys(features))
  for (const [feature = '', ...cells] of rows) {
    for (const [index, { name, without = {} }] of apis.entries()) {
      const isMissing = features[feature]?.some((scenario) => without[scenario] !== undefined)
      const cell = cells[index] ?? ''
      expect({ feature, name, isMissing: /^no\b/.test(cell), cell }).toEqual({ feature, name, isMissing, cell })
    }
  }
})
