import { type Rule, ruleGroups } from '../../packages/codegen/src/contracts/rules.js'
import { ruleExamples } from './rule-examples.js'
import type { Sketch } from './sketch.js'

const head = `# Changes of contracts

\`toolgen diff\` compares the contracts of a design with those in a \`toolgen.lock.json\`: of the last commit, of another Git revision, or
of a file. [The command line](cli.md#toolgen-diff) lists its options.

\`\`\`sh
npx toolgen diff                                # compare with the last commit
npx toolgen diff origin/main --reporter github  # in a pull request, as annotations
\`\`\`

It exits with code 5 for a breaking change. Every change has a rule, and every rule has

- a category, which says who is affected: \`code\` (callers of generated code), \`model\` (models) or \`recorded\` (recorded calls)
- a severity: \`breaking\` (something that worked fails), \`visible\` (earlier calls still work, but models read something else) or
  \`safe\` (compatible, and invisible to models).

## Intended breaking changes

There is no list of exceptions. A reviewer decides about a breaking change: let a label skip the job with \`diff\`, or accept its failure.
The job passes again when the change is on the base branch. If callers need time, keep the old tool and give the new contract to a tool
with another name. Compare with the lock file of the last release, \`npx toolgen diff ../released/toolgen.lock.json\`, to see all changes
since then. The change that introduces toolgen has no lock file to compare with; add the job with the next change.

## How schemas are compared

Schemas are compared as sets of values, not as text: a payload must still accept every earlier
value, and a result must keep its fields and have no new values in them. toolgen proves that
a payload still accepts all earlier values. The proof follows both schemas through references, unions and recursive definitions.
Another notation of the same schema is therefore not a change: \`const\` and an \`enum\` of one value, an array of types and a union, a
definition and its inlined schema, an \`exclusiveMinimum\` of 0 and a \`minimum\` of 1 for an integer. Ranges of numbers and lengths are
split at the bounds and values of the other schema: an integer from 0 to 10 fits \`anyOf\` 0 to 5 and 6 to 10, and an integer from 0 to 2
fits \`enum: [0, 1, 2]\`.

If there is no proof, and no value shows a difference, the change is uncertain (TG8104): it "may" break something. This happens with two
patterns or formats, with \`not\`, \`if\`, \`contains\`, \`dependentSchemas\` and \`unevaluatedProperties\` that differ, and with some unions. An
uncertain change fails the command too.

A value proves a change if only one of the contracts accepts it, or if it is a result with a field that readers no longer get.
Values on both sides of every bound are tried with the codecs of both contracts, those of the project's \`@toolgen/runtime\`. If a value
shows the change, the JSON output has \`certain: true\` and the value as \`witness\`, unless it is long. Otherwise \`certain\` is false, and the
message says that no value was found. The summary and the JSON counts (\`possiblyBreaking\`) list these changes separately.

Bodies of declared errors and data of declared failures are compared like results.

Payloads reject undeclared fields. A new optional field therefore accepts more, and a removed field accepts less. Readers of a result
ignore further fields, but miss removed ones.

## Renamed tools and fields

A renamed tool is reported as removed and added, and is a breaking change. If exactly one removed tool has the same schemas as exactly
one added tool of the toolset, the diagnostic says that it looks renamed, and \`rename\` in JSON has the other name. If several tools have
the same schemas, the one with the same description and properties counts. The same applies to fields of an object.

## Pointers

\`pointer\` is a path through the schema of the arguments, the result or the updates, with references followed:
\`/properties/lines/items/properties/sku\`.

## Shared definitions

A change in a definition that several tools share is reported once, at the first tool, with the names of some other tools and the number of the rest.
In JSON \`changes\` lists it for every tool, with its own \`pointer\`; \`definition\` is the location in the definition. Counts and the summary
count every tool.

## Recorded calls

Old calls are decoded to find out whether they still work. The payload codecs of the design decode the examples of the tools in the lock
file, and the calls in the cassettes of \`--cassettes\` ([testing](testing.md#record-and-replay)) that were valid when they were recorded.

This page is generated from the rules. A test compares them and runs every example.`

const groups: readonly (readonly [title: string, rules: readonly Rule[]])[] = [
  ['Payloads', ruleGroups.schemas.filter(({ id }) => id.startsWith('payload-'))],
  ['Results, updates and errors', ruleGroups.schemas.filter(({ id }) => id.startsWith('result-'))],
  ['Toolsets and tools', [...ruleGroups.toolsets, ...ruleGroups.tools]],
  ['Prompts and resource templates', ruleGroups.prompts],
  ['Agents', ruleGroups.agents],
  ['Calls that were recorded', ruleGroups.recordings],
]

/** Returns `docs/diff.md`: how contracts are compared, and every rule with two examples. */
export function rulesPage(): string {
  const sections = groups.flatMap(([title, rules]) => [
    `## ${title}`,
    [
      '| rule | severity | category |',
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
      `- reported: ${shown(example.was)} → ${shown(example.is)}`,
      `- not reported: ${shown(example.not.was)} → ${shown(example.not.is)}`,
    ].join('\n'),
  ].join('\n\n')
}
