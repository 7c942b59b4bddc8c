import { agentRules, recordedRules, toolRules, toolsetRules } from '../../packages/codegen/src/contracts/rules.js'
import { aspectRules, type Rule, schemaRules } from '../../packages/codegen/src/contracts/schema-rules.js'
import { ruleExamples } from './rule-examples.js'
import type { Sketch } from './sketch.js'

const head = `# Changes of contracts

\`toolgen diff\` compares the contracts of a design with those that a \`toolgen.lock.json\` recorded: of the last commit, of any
other revision of Git, or of a file. [The command line](cli.md#toolgen-diff) has its options.

\`\`\`sh
npx toolgen diff                                # since the last commit
npx toolgen diff origin/main --reporter github  # in a pull request, as annotations
\`\`\`

It exits with 5 where something breaks. Every change has a rule, and every rule

- a category, whom it concerns: \`code\`, those who call generated code; \`model\`, what models read; \`recorded\`, calls that were
  recorded.
- a severity: \`breaking\`, something that worked fails; \`visible\`, whoever called before still can and models read something
  else; \`safe\`, nobody need notice.

## Where a break is intended

There is no list of exceptions: that something breaks is for whoever merges to see and to want. Let the job that runs \`diff\` be
one that a label skips, or whose failure a reviewer accepts; it passes again once the change is on the base branch. Where callers
need time, leave the old tool as it is and give the new contract to a tool of another name. Compared with the lock of the last
release, \`npx toolgen diff ../released/toolgen.lock.json\`, everything stays visible until the next one. The change that
introduces toolgen has no lock to be compared with: let the job begin with the next change.

## How schemas are compared

As sets of values, and not as text: a payload may only widen, a result may only narrow. That a payload takes all that it took is
proven, by following both schemas down to the values, through references, unions and definitions that contain themselves. So
another way to write the same is no change: \`const\` for an \`enum\` of one value, a list of types for a union, a definition for
what stood in place, an \`exclusiveMinimum\` of 0 for a \`minimum\` of 1. Ranges of numbers and of lengths are divided at the bounds
and listed values of the other schema: an integer from 0 to 10 fits \`anyOf\` 0 to 5 and 6 to 10, and an integer from 0 to 2 fits
\`enum: [0, 1, 2]\`.

Where there is no proof and no value shows a difference, the change is reported as uncertain (TG8104): it "may" break something.
This happens with two patterns or formats, with \`not\`, \`if\`, \`contains\`, \`dependentSchemas\` and \`unevaluatedProperties\` where
both sides are not alike, and with some unions. An uncertain change fails the command too, since nothing proves it harmless.

That something did change is shown by a value: one that a contract takes and the other does not, or, of a result, one with a field
that readers do not get any more. Values on both sides of every bound are tried with the codecs of both contracts, those of the
project's \`@toolgen/runtime\`, with which generated code decodes. Where one shows the change, \`certain\` is true in JSON, and
\`witness\` is the value, if it is not long: fit for a test. Else \`certain\` is false, and the message says that no value was
found. The summary and the counts in JSON (\`possiblyBreaking\`) list such changes apart from those that break for certain.

Payloads refuse fields that they do not declare, and so a new optional field widens, and a field that is gone narrows. Who reads a
result does not mind further fields, but misses those that are gone.

## What was renamed

What was renamed is gone under one name and new under another, and as breaking as that. Where one tool alone that is gone has
the schemas of one alone that is new in the same toolset, the finding says that it looks renamed, and \`rename\` in JSON has the
other name; of several with the same schemas the one counts that says the same of itself, but for name, tool name and title. So
it is with fields where an object lost one and got one with the same schema.

## Pointers

\`pointer\` leads through the schema of the arguments, the result or the updates, with references followed:
\`/properties/lines/items/properties/sku\`.

## Shared definitions

What changed in a definition that several tools share is told once, with the names of the first of them and the number of the
others, where the first is told. In JSON \`changes\` has it for every tool, with its own \`pointer\`; \`definition\` says where it
is in the definition. Counts and the summary count every tool.

## Recorded calls

Whether an old call can still be decoded is not concluded but tried. The examples of the tools, as the lock recorded them, are
decoded by the payload codecs of now; so are the calls in cassettes ([testing](testing.md#record-and-replay)) that
\`--cassettes\` names, if they were decoded when they were recorded.

The page is made from the rules; a test compares them, and runs every example.`

const groups: readonly (readonly [title: string, rules: readonly Rule[]])[] = [
  ['Payloads', [...schemaRules, ...aspectRules].filter(({ id }) => id.startsWith('payload-'))],
  ['Results and updates', [...schemaRules, ...aspectRules].filter(({ id }) => id.startsWith('result-'))],
  ['Toolsets and tools', [...toolsetRules, ...toolRules]],
  ['Agents', agentRules],
  ['Calls that were recorded', recordedRules],
]

/** `docs/diff.md`: how contracts are compared, then every rule with an example of what it tells and what it does not. */
export function rulesPage(): string {
  const sections = groups.flatMap(([title, rules]) => [
    `## ${title}`,
    [
      '| rule | | |',
      '|---|---|---|',
      ...rules.map(({ id, category, severity }) => `| [${id}](#${id}) | ${severity} | ${category} |`),
    ].join('\n'),
    ...rules.map(ruleSection),
  ])
  return `${[head, ...sections].join('\n\n')}\n`
}

function ruleSection({ id, category, severity, summary, why, next }: Rule): string {
  const example = ruleExamples.get(id)
  if (example === undefined) throw new Error(`no example of ${id}`)
  const shown = (sketch: Sketch): string => `\`${JSON.stringify(sketch)}\``
  return [
    `### ${id}`,
    `${severity}, ${category}: it ${summary}.`,
    why,
    `What to do: ${next}`,
    [
      `- told: ${shown(example.was)} → ${shown(example.is)}`,
      `- not told: ${shown(example.not.was)} → ${shown(example.not.is)}`,
    ].join('\n'),
  ].join('\n\n')
}
