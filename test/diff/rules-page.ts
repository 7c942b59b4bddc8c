import { affectedBy, type Rule, ruleGroups } from '../../packages/codegen/src/contracts/rules.js'
import { isObject, type Json, own } from '../../packages/codegen/src/schema/json-schema.js'
import { type RuleExample, ruleExamples } from './rule-examples.js'
import { changesOf, type Sketch } from './sketch.js'

const head = `# Changes of contracts

The contract of a tool is everything that its callers rely on: names, schemas, texts for models, and options such as confirmations. \`toolgen
diff\` compares the contracts of a design with earlier contracts. It reads the earlier contracts from a \`toolgen.lock.json\`: the file of the
last commit, the file of another Git revision, or a saved copy. [The command line](cli.md#toolgen-diff) lists the options of the command.

\`\`\`sh
npx toolgen diff                                # compare with the last commit
npx toolgen diff origin/main --reporter github  # in a pull request, as annotations
\`\`\`

The command exits with code 5 if there is a breaking change. Every change belongs to a rule, and every rule has

- a category, which names who or what is affected: \`code\` (callers of generated code), \`model\` (models) or \`recorded\` (recorded calls)
- a severity: \`breaking\` (code or a call that worked before fails), \`visible\` (earlier calls still work, but models or people notice a
  difference) or \`safe\` (earlier calls still work as before)

## Intended breaking changes

A CI job with \`toolgen diff\` also fails for an intended breaking change, because toolgen has no list of accepted changes. A reviewer can
merge the pull request although the job fails, or can skip the job with a label of the pull request. After the merge, the job passes again:
the job compares with the base branch, and the base branch now contains the change.

If callers need time, keep the old tool, and give the new contract to a tool with another name.

To see all changes since the last release, compare with the lock file of this release: \`npx toolgen diff ../released/toolgen.lock.json\`.

Add the job only after the pull request that introduces toolgen is merged. Before that, the base branch has no lock file to compare with.

## How schemas are compared

toolgen compares schemas by the values that they accept, not by their text. A payload schema must still accept every value that it accepted
before. A result schema must keep its fields, and must not allow additional values for these fields. toolgen compares three other schemas
like results: updates of streaming tools, bodies of declared errors, and data of declared failures.

toolgen tries to prove that the change is compatible, for example that a payload schema still accepts all earlier values. The proof follows
references, unions and recursive definitions. A schema that accepts the same values in another notation is therefore not a change. The two
schemas of each pair accept the same values:

- \`const\`, and an \`enum\` with one value
- an array of types, and a union
- a reference to a definition, and the schema of the definition in its place
- for an integer, \`exclusiveMinimum: 0\` and \`minimum: 1\`
- an integer from 0 to 10, and \`anyOf\` of 0 to 5 and 6 to 10
- an integer from 0 to 2, and \`enum: [0, 1, 2]\`

If toolgen finds no proof, it looks for a value that shows the change. Such a value is a payload or a result that only one of the two
contracts accepts, or a result with a field that the new contract drops. For example, if one schema has \`maximum: 50\`, toolgen decodes 50
and 51 with both contracts. toolgen decodes values with the project's \`@toolgen/runtime\`. If a value shows the change, the change has
\`certain: true\` in the JSON output. The property \`witness\` contains the value if the value is not too long.

If toolgen finds neither a proof nor such a value, the change is uncertain, and the message says that the change "may" break something
(TG8104). This happens with some unions. It also happens if patterns, formats, \`not\`, \`if\`, \`contains\`, \`dependentSchemas\` or
\`unevaluatedProperties\` differ. The command also fails for an uncertain change. In the JSON output, an uncertain change has \`certain:
false\`. The last line of the output and \`possiblyBreaking\` in the JSON output count uncertain changes separately.

A payload with undeclared fields is rejected. A new optional field therefore makes a payload schema accept more values, and a removed field
makes it accept fewer values. Code that reads a result ignores new fields, but needs the removed fields.

## Renamed tools and fields

\`toolgen diff\` reports a renamed tool as a removed tool and an added tool, which is a breaking change. If exactly one removed tool and
exactly one added tool of a toolset have the same schemas, the message says that the tool was probably renamed. In the JSON output, \`rename\`
contains the other name. If several tools have the same schemas, toolgen pairs the tools that also have the same description and options.

The message says that a field was probably renamed if one object lost exactly one field and has exactly one new field, and both fields have
the same schema.

## Pointers

In the JSON output, the property \`pointer\` of a change is a path to the changed part of the schema, such as
\`/properties/lines/items/properties/sku\`. The path contains no \`$ref\`: it continues inside the referenced schema.

## Shared definitions

Several tools can share a schema definition. If this definition has changed, \`toolgen diff\` prints one message for all these tools. The
message names at most four tools; if there are more tools, it names three and the number of the other tools. In the JSON output, \`changes\`
contains the change once for each tool. \`pointer\` is the location in the schema of this tool, and \`definition\` is the location in the shared
definition. The last line of the output also counts the change once for each tool.

## Recorded calls

To find out whether earlier calls still work, \`toolgen diff\` decodes their arguments with the new payload schemas. The earlier calls are:

- the examples of the tools in the earlier lock file
- the calls in [cassettes](testing.md#record-and-replay) (files with recorded calls) if you pass \`--cassettes\`, except calls that the
  earlier contract rejects

## Examples of the rules

Each rule below has two examples: a change that the rule reports, and a similar change that another rule or no rule reports. A path names the
part of the contract. For example, \`payload.properties.id.maxLength\` is the \`maxLength\` of the field \`id\` in the payload schema.

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
  const { not } = example
  const others = [...new Set(changesOf(not.was, not.is).map(({ rule }) => rule))].map((rule) => `[${rule}](#${rule})`)
  return [
    `### ${id}`,
    `**${subject} ${summary}.** Severity: ${severity}. Affected: ${affectedBy[category]}.`,
    why,
    `What to do: ${next}`,
    [
      '| reported by | part of the contract | before | after |',
      '|---|---|---|---|',
      ...rowsOf('this rule', example),
      ...rowsOf(others.length === 0 ? 'no rule' : others.join(', '), not),
    ].join('\n'),
  ].join('\n\n')
}

function rowsOf(reporter: string, { was, is }: Pick<RuleExample, 'was' | 'is'>): readonly string[] {
  const cell = (value: Json | undefined): string =>
    value === undefined ? '–' : `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``
  const changed = changedParts(shownContract(was), shownContract(is), '').map((part) => ({
    ...part,
    path: `\`${part.path}\``,
  }))
  return [...changed, ...givenParts(was, is)].map(
    ({ path, before, after }) => `| ${reporter} | ${path} | ${cell(before)} | ${cell(after)} |`,
  )
}

/** Returns the recorded call or the unchanged examples of the tool, which decide whether the rule reports the change. */
function givenParts(was: Sketch, is: Sketch): readonly ChangedPart[] {
  const [call] = is.calls ?? []
  if (call !== undefined) return [{ path: 'arguments of a recorded call', before: call, after: call }]
  const [before, after] = [was, is].map(({ about = {} }) => own(about, 'examples'))
  const isUnchanged = before !== undefined && JSON.stringify(before) === JSON.stringify(after)
  return isUnchanged ? [{ path: '`examples`', before, after }] : []
}

/** Moves the properties of `about` to the tool or agent, and removes the variables of URI templates. */
function shownContract({ about, agents, resourceTemplates, ...rest }: Sketch): Json {
  const flat = mapped(agents, ({ about: ofAgent, ...agent }) => ({ ...ofAgent, ...agent }))
  const templates = mapped(resourceTemplates, ({ variables, ...template }) => template)
  return JSON.parse(JSON.stringify({ ...rest, ...about, agents: flat, resourceTemplates: templates, calls: undefined }))
}

function mapped<From, To>(
  values: Readonly<Record<string, From>> | undefined,
  to: (value: From) => To,
): object | undefined {
  return values && Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]))
}

interface ChangedPart {
  readonly path: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** Returns the smallest part that contains all differences, or one part for each changed property of the contract. */
function changedParts(before: Json | undefined, after: Json | undefined, path: string): readonly ChangedPart[] {
  const whole = [{ path, before, after }]
  if (!isObject(before) || !isObject(after)) return whole
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => JSON.stringify(own(before, key)) !== JSON.stringify(own(after, key)),
  )
  if (changed.length !== 1 && path !== '') return whole
  return changed.flatMap((key) => {
    const step = /^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
    return changedParts(own(before, key), own(after, key), path === '' ? key : path + step)
  })
}
