import type { Catalogue } from './catalogue-entry.js'

/** What `toolgen diff` reports: what it compares with, and how contracts changed. */
export const diffCatalogue: Catalogue = {
  TG0030: {
    title: 'Git cannot be asked',
    cause:
      '`toolgen diff` compares with a revision of Git. Git is not installed, the project is in no working tree, or Git does ' +
      'not trust its owner.',
    fix: 'Compare with a copy of gen/toolgen.lock.json that you kept:\n\n    toolgen diff ../released/toolgen.lock.json',
  },
  TG0031: {
    title: 'There is no such revision',
    cause:
      'What `toolgen diff` was given is neither the path of a lock nor a revision that this clone has. In CI clones are often ' +
      'shallow and have one revision alone. A new repository has none before its first commit.',
    fix: 'Correct the name, or fetch the history first:\n\n    git fetch origin main\n    toolgen diff origin/main',
  },
  TG0032: {
    title: 'There is no lock to compare with',
    cause:
      'The path leads nowhere, or `toolgen.lock.json` was not committed at that revision, at least not in the present output ' +
      'folder.',
    fix: 'Commit what `toolgen generate` writes. Name another revision, or the path that the lock had then, from the root of the repository:\n\n    toolgen diff v1.0.0:src/gen/toolgen.lock.json',
  },
  TG0033: {
    title: 'The lock to compare with cannot be read',
    cause: 'It is no JSON, holds the marks of a merge, or lacks what `toolgen generate` writes of toolsets and agents.',
    fix: 'Compare with a revision before the lock was damaged, or generate it anew there.',
  },
  TG0034: {
    title: 'The lock to compare with was written by a later toolgen',
    cause: 'Its contract version is higher than this toolgen knows.',
    fix: 'Use that version:\n\n    npm install --save-dev @toolgen/codegen@latest',
  },
  TG0035: {
    title: 'A cassette cannot be read',
    cause:
      '--cassettes names no file, or a file that is no recording of `openCassette`: lines of JSON, of which the first says ' +
      '`"cassette":1`. A recording that broke off ends within a line, which is named: record it again, or delete the line.',
    fix: 'Quote the pattern, so that the shell leaves it alone:\n\n    toolgen diff main --cassettes "test/**/*.jsonl"',
  },
  TG0036: {
    title: 'Recorded calls cannot be decoded',
    cause:
      'Examples and cassettes are decoded by the codecs of `@toolgen/runtime` as the project has it, which cannot be loaded. ' +
      'They also judge the values that show what changed: without them no change of a schema is certain. It is an error ' +
      'where --cassettes asks for them.',
    fix: 'Install it in the project:\n\n    npm install @toolgen/runtime',
  },
  TG8101: {
    title: 'A contract changed so that something breaks',
    cause:
      'Compared with the lock, callers, models or recorded calls that worked will fail: a payload takes less, a result can be ' +
      'more, or a tool, a field or a name is gone. The name in brackets is the rule, of which `toolgen explain RULE` tells more.',
    fix:
      'Change the design so that what worked still does. Where the change is meant, agree on it with those who call the tools, ' +
      'and compare with a later revision from then on.',
  },
  TG8102: {
    title: 'A contract changed so that models read something else',
    cause:
      'Nothing fails: whoever called before still can. Descriptions, examples or what is allowed are not as they were, and ' +
      'models go by them.',
    fix: 'Look at the evaluations of prompts that offer the tool.',
  },
  TG8103: {
    title: 'A contract changed and nobody need notice',
    cause: 'Whoever called before still can, and models are sent the same.',
    fix: 'Nothing.',
  },
  TG8104: {
    title: 'A contract changed so that something may break',
    cause:
      'There is no proof that everything still works, and no value was found that shows the contrary: of patterns, formats, ' +
      '`not`, `if` and some unions toolgen cannot prove that one schema takes all that another one takes. The command fails ' +
      'as it does for a change that is certain; JSON has `certain: false`.',
    fix: 'Compare both schemas by hand. If nothing breaks, the finding is gone once the change is on the base branch.',
  },
}
