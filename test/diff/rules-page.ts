import { affectedBy, type Rule, ruleGroups } from '../../packages/codegen/src/contracts/rules.js'
import { ruleExamples } from './rule-examples.js'
import type { Sketch } from './sketch.js'

const head = `# Changes of contracts

The contract of a tool is everything that its callers rely on: names, schemas, texts for models, and options such as confirmations.
\`toolgen diff\` compares the contracts of a design with earlier contracts. It reads the earlier contracts from a \`toolgen.lock.json\`: the
file of the last commit, the file of another Git revision, or a saved copy. [The command line](cli.md#toolgen-diff) lists the options of the command.

\`\`\`sh
npx toolgen diff                                # compare with the last commit
npx toolgen diff origin/main --reporter github  # in a pull request, as annotations
\`\`\`

The command exits with code 5 if there is a breaking change. Every change belongs to a rule, and every rule has

- a category, which names what is affected: \`code\` (callers of generated code), \`model\` (models) or \`recorded\` (recorded calls)
- a severity: \`breaking\` (something that worked fails), \`visible\` (earlier calls still work, but models or people notice a
  difference) or \`safe\` (earlier calls still work, and nobody notices a difference).

## Intended breaking changes

toolgen has no list of accepted breaking changes. A CI job with \`toolgen diff\` therefore also fails for an intended breaking change. A
reviewer can merge the pull request although this job fails, or can skip the job with a label of the pull request. After the merge, the job
passes again, because it compares with the base branch, which now contains the change.

If callers need time, keep the old tool, and give the new contract to a tool with another name.

To see all changes since the last release, compare with the lock file of this release: \`npx toolgen diff ../released/toolgen.lock.json\`.

Add the job only after the pull request that introduces toolgen is merged. Before that, the base branch has no lock file to compare with.

## How schemas are compared

Schemas are compared as sets of values, not as text. A payload must still accept every earlier value. A result must keep its fields, and
the fields must have no new values. Bodies of declared errors and data of declared failures are compared like results.

toolgen tries to prove that a payload still accepts all earlier values. The proof follows both schemas through references, unions and
recursive definitions. A schema with the same values in another notation is therefore not a change. In each of these pairs, both schemas
have the same values:

- \`const\`, and an \`enum\` with one value
- an array of types, and a union
- a reference to a definition, and the schema of the definition in its place
- for an integer, \`exclusiveMinimum: 0\` and \`minimum: 1\`
- an integer from 0 to 10, and \`anyOf\` of 0 to 5 and 6 to 10
- an integer from 0 to 2, and \`enum: [0, 1, 2]\`

If toolgen does not find this proof, it looks for a value that proves a change. Such a value is a payload or a result that only one of the
two contracts accepts, or a result with a field that readers no longer receive. toolgen decodes values on both sides of every bound with both
contracts. It uses the codecs of the project's \`@toolgen/runtime\`. If a value proves the change, the change has \`certain: true\` in the JSON
output. The property \`witness\` contains the value if the value is not too long.

If toolgen finds neither the proof nor such a value, the change is uncertain (TG8104): the message says that the change "may" break something.
This happens with some unions. It also happens if patterns, formats, \`not\`, \`if\`, \`contains\`, \`dependentSchemas\` or
\`unevaluatedProperties\` differ. The command also fails for an uncertain change. In the JSON output, the change has \`certain: false\`. The
summary and the JSON output (\`possiblyBreaking\`) count uncertain changes separately.

Payloads reject undeclared fields. A payload with a new optional field therefore accepts more values, and a payload without a removed field
accepts fewer values. Readers of a result ignore new fields, but need the removed fields.

## Renamed tools and fields

\`toolgen diff\` reports a renamed tool as a removed tool and an added tool, which is a breaking change. If exactly one removed tool and exactly
one added tool of a toolset have the same schemas, the message says that the tool was probably renamed. In the JSON output, \`rename\` contains
the other name. If several tools have the same schemas, toolgen pairs the tools that also have the same description and options. A field was
probably renamed if its object lost exactly one field and got exactly one new field, and both fields have the same schema.

## Pointers

\`pointer\` in the JSON output is the location of the change: a path through the schema of the arguments, the result or the updates, such as
\`/properties/lines/items/properties/sku\`. The path continues through references, so it contains no \`$ref\`.

## Shared definitions

If a definition that several tools share has changed, \`toolgen diff\` reports the change once, at the first tool. The message names some of
the other tools, and the number of the remaining tools. In the JSON output, \`changes\` contains the change once for each tool. \`pointer\` is the
location in the schema of this tool, and \`definition\` is the location in the shared definition. The summary also counts the change once for
each tool.

## Recorded calls

To find out whether earlier calls still work, \`toolgen diff\` decodes the arguments of these calls with the new payload codecs. It decodes:

- the examples of the tools in the lock file
- the calls in the files of \`--cassettes\` ([recordings](testing.md#record-and-replay)) that were valid when they were recorded

## Examples of the rules

Each rule below has two examples: a change that the rule reports, and a change that the rule does not report. An example shows the compared
parts of a contract before and after the change.

This page is generated from the rules. A test compares them and runs every example.`

const groups: readonly (readonly [title: string, rules: readonly Rule[]])[] = [
  ['Payloads', ruleGroups.schemas.filter(({ id }) => id.startsWith('payload-'))],
  ['Results, updates and errors', ruleGroups.schemas.filter(({ id }) => id.startsWith('result-'))],
  ['Toolsets and tools', [...ruleGroups.toolsets, ...ruleGroups.tools]],
  ['Prompts and resource templates', ruleGroups.prompts],
  ['Agents', ruleGroups.agents],
  ['Recorded calls and examples', ruleGroups.recordings],
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
    `**${subject} ${summary}.** Severity: ${severity}. Affected: ${affectedBy[category]}.`,
    why,
    `What to do: ${next}`,
    [
      `- this rule reports: ${shown(example.was)} → ${shown(example.is)}`,
      `- this rule does not report: ${shown(example.not.was)} → ${shown(example.not.is)}`,
    ].join('\n'),
  ].join('\n\n')
}
