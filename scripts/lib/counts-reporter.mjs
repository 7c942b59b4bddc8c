import { writeFileSync } from 'node:fs'

/** Writes the numbers of passed, failed and skipped tests to the file `TOOLGEN_TEST_COUNTS`. */
export default class CountsReporter {
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        counts[state in counts ? state : 'skipped'] += 1
      }
    }
    writeFileSync(process.env.TOOLGEN_TEST_COUNTS, JSON.stringify(counts))
  }
}
