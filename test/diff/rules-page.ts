import { type Rule, ruleGroups } from '../../packages/codegen/src/contracts/rules.js'
import { ruleExamples } from './rule-examples.js'
import type { Sketch } from './sketch.js'

const head = `# Changes of contracts

The contract of a tool is everything that its callers rely on: names, schemas, texts for models, and options such as confirmations.
\`toolgen diff\` compares the contracts of a design with earlier contracts, which it reads from a \`toolgen.lock.json\`: of the last commit, of
another Git revision, or at a path. [The command line](cli.md#toolgen-diff) lists its options.

\`\`\`sh
npx toolgen diff                                # compare with the last commit
npx toolgen diff origin/main --reporter github  # in a pull request, as annotations
\`\`\`

The command exits with code 5 if there is a breaking change. Every change belongs to a rule, and every rule has

- a category, which names what is affected: \`code\` (callers of generated code), \`model\` (models) or \`recorded\` (recorded calls)
- a severity: \`breaking\` (something that worked fails), \`visible\` (earlier calls still work, but models or people notice a
  difference) or \`safe\` (compatible, without a visible difference).

## Intended breaking changes

toolgen has no list of accepted breaking changes, so the CI job with \`toolgen diff\` fails for an intended breaking change too. A reviewer
decides: merge the pull request although this job fails, or let a label of the pull request skip the job. When the change is on the base
branch, the job passes again, because it compares with this branch.

If callers need time, keep the old tool, and give the new contract to a tool with another name.

To see all changes since the last release, compare with its lock file: \`npx toolgen diff ../released/toolgen.lock.json\`.

Add the job only after the pull request that introduces toolgen is merged. Before that, the base branch has no lock file to compare with.

## How schemas are compared

Schemas are compared as sets of values, not as text. A payload must still accept every earlier value. A result must keep its fields, and
the fields must have no new values. Bodies of declared errors and data of declared failures are compared like results.

toolgen proves that a payload still accepts all earlier values. The proof follows both schemas through references, unions and recursive
definitions. A schema that is only written in another way is therefore not a change. The schemas of each of these pairs are equal:

- \`const\`, and an \`enum\` with one value
- an array of types, and a union
- a reference to a definition, and the schema of the definition in its place
- for an integer, \`exclusiveMinimum: 0\` and \`minimum: 1\`
- an integer from 0 to 10, and \`anyOf\` of 0 to 5 and 6 to 10
- an integer from 0 to 2, and \`enum: [0, 1, 2]\`

If toolgen finds no such proof, it looks for a value that proves a change. Such a value is accepted by only one of the two contracts, or it
is a result with a field that readers no longer receive. toolgen tries values on both sides of every bound, with the codecs of the project's
\`@toolgen/runtime\` for both contracts. If a value proves the change, the change has \`certain: true\` in the JSON output. The value is in
\`witness\`, unless it is long.

If there is neither a proof nor such a value, the change is uncertain (TG8104): the message says that the change "may" break something. This
happens if patterns, formats, \`not\`, \`if\`, \`contains\`, \`dependentSchemas\` or \`unevaluatedProperties\` differ, and with some unions. An
uncertain change fails the command too. In the JSON output, it has \`certain: false\`. The summary and the JSON output
(\`possiblyBreaking\`) count uncertain changes separately.

Payloads reject undeclared fields. A payload with a new optional field therefore accepts more values, and a payload without a removed field
accepts fewer values. Readers of a result ignore new fields, but need the removed ones.

## Renamed tools and fields

A renamed tool is reported as a removed tool and an added tool, which is a breaking change. If exactly one removed tool and exactly one added
tool of a toolset have the same schemas, the message says that the tool was probably renamed, and \`rename\` in the JSON output has the other
name. If several tools have the same schemas, toolgen pairs the tools that also have the same description and options. A field was probably
renamed if its object lost exactly one field and gained exactly one, and both fields have the same schema.

## Pointers

\`pointer\` in the JSON output is the location of the change: a path through the schema of the arguments, the result or the updates, such as
\`/properties/lines/items/properties/sku\`. The path continues through references, so it contains no \`$ref\`.

## Shared definitions

If a definition that several tools share has changed, the change is reported once, at the first tool. The message names some of the other
tools, and the number of the rest. In the JSON output, \`changes\` contains the change once for each tool, with the \`pointer\` in the schema of
this tool; \`definition\` is the location in the shared definition. The summary also counts the change once for each tool.

## Recorded calls

To find out whether earlier calls still work, \`toolgen diff\` decodes their arguments with the new payload codecs. It decodes two kinds of
calls: the examples of the tools in the lock file, and the calls in the cassettes of \`--cassettes\`
([testing](testing.md#record-and-replay)) that were valid when they were recorded.

## Examples of the rules

Each rule below has two examples: one that the rule reports, and one that it does not report. An example shows the compared parts of a
contract before and after the change.

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

function ruleSection({ id, category, severity, subject, summary, why, next }: Rule): string {
  const example = ruleExamples.get(id)
  if (example === undefined) throw new Error(`no example of ${id}`)
  const shown = (sketch: Sketch): string => `\`${JSON.stringify(sketch)}\``
  return [
    `### ${id}`,
    `**${subject} ${summary}** (${severity}, ${category})`,
    why,
    `What to do: ${next}`,
    [
      `- reported: ${shown(example.was)} → ${shown(example.is)}`,
      `- not reported: ${shown(example.not.was)} → ${shown(example.not.is)}`,
    ].join('\n'),
  ].join('\n\n')
}
