import { Choices } from '../issues/choices.js'
import { factsOf } from '../issues/issue-list.js'
import { pointerOf } from '../json/pointer.js'
import { keyword } from './keywords.js'
import type { ObjectCheck } from './node.js'
import type { Site } from './site.js'
import { reportUnknown } from './unknown-fields.js'

/** Prepares `propertyNames`. Names from a fixed list are reported as unknown fields, others with the fault of the name. */
export function nameCheck(site: Site): ObjectCheck | undefined {
  const schema = keyword(site.schema, 'propertyNames')
  if (schema === undefined) return undefined
  const node = site.below(schema, 'propertyNames')
  const { literals } = site.facts.admitted(site.index.below(site, schema, 'propertyNames'))
  const allowed = literals && new Choices(literals.filter((name) => typeof name === 'string'))

  return (value, run) => {
    let ok = true
    for (const key of Object.keys(value)) {
      if (run.test(node, key, undefined)) continue
      ok = false
      if (run.quiet) return false
      if (allowed !== undefined) {
        reportUnknown(run, key, () => allowed)
        continue
      }
      run.path.push(key)
      const path = pointerOf(run.path)
      for (const issue of run.collect(() => node.check(key, run, undefined)).closed(path)) {
        const message = `The name of the field is wrong: ${issue.message}`
        run.issues.add(factsOf(issue), { path, message, description: issue.description })
      }
      run.path.pop()
    }
    return ok
  }
}
