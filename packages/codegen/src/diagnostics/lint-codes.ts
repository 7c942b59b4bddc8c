import type { Catalogue } from './diagnostic.js'

/** Diagnostics of `toolgen lint`; the rules, with their examples, are in the subsystem `lint`. */
export const lintCatalogue: Catalogue = {
  TG8301: {
    title: 'A field has no description',
    cause:
      'Of a field without a description a model knows the name and the type. What it does not know it invents: the wrong ' +
      'format, an id in place of a name, a value from another field. Fields of which a more exact rule speaks are not ' +
      'listed again.',
    fix: 'Describe what the field holds, and where the value comes from when that is not plain:\n\n    orderId: z.string().describe("Order number as printed on the invoice")',
  },
  TG8302: {
    title: 'The description of a tool repeats its name',
    cause:
      'A model chooses a tool by its name and its description. One that only says the name again helps with nothing: not ' +
      'with when to take the tool, not with what it answers.',
    fix: 'Say what the tool does, when it is the right one, and what comes back.',
  },
  TG8303: {
    title: 'The description of a tool is long',
    cause:
      'Every request carries the descriptions of all tools, so that a page of text is paid for again and again, and the ' +
      'sentence that matters drowns in it. The rule begins at 1,024 characters.',
    fix: 'Keep what tells the tool from others. Move what is about one field to the description of that field, and what is about the whole task to the instructions of the agent.',
  },
  TG8304: {
    title: 'A text for models is unfinished',
    cause: 'TODO, FIXME, TBD or lorem ipsum stands in a description. Models read it, and some act on it.',
    fix: 'Write the text, or move the note into a comment of the design.',
  },
  TG8305: {
    title: 'Two tools are described in the same words',
    cause:
      'Two tools that one model sees have descriptions of the same words, or almost, and their names do not tell why. The ' +
      'model then takes either of them. What a description shares with the name (start, stop) counts as a difference.',
    fix: 'Say in each description when to take that one and not the other, or make one tool of the two.',
  },
  TG8306: {
    title: 'Two tools have almost the same name',
    cause:
      'The names of two tools that one model sees differ in case, separators, the order of words or a plural alone. Models ' +
      'mix such names up, and so do people who read what was called.',
    fix: 'Rename one of them after what it does otherwise, or give it another name for models:\n\n    toolName: "orders_track_shipment"',
  },
  TG8307: {
    title: 'Nothing gives the id that a tool needs',
    cause:
      'A tool requires an id. No other tool that the same model sees answers it, and the description does not say where it ' +
      'is found, so that the model can only ask the user, or invent one. Tools whose results are not described count as ' +
      'giving the ids of what their names speak of.',
    fix: 'Let a tool that finds such things answer their ids. Where people know the id, say so:\n\n    orderId: z.string().describe("Order number as printed on the invoice")\n\nWhere the application knows it, fill it with `serverOwned`.',
  },
  TG8308: {
    title: 'A list leaves out the ids of its entries',
    cause:
      'A tool lists things that another tool of the same model takes by id, but the entries of its result have no id and ' +
      'nothing else that names them. The model sees the thing and cannot go on with it.',
    fix: 'Add the id to the entries of the result, under the name that the other tool has for it.',
  },
  TG8309: {
    title: 'A list has no end',
    cause:
      'A tool that lists or searches answers a list without `maxItems`, and takes nothing by which less could be asked for. ' +
      'One call can then fill the context of the model, and cost as much as the whole conversation.',
    fix: 'Bound the list, or let the model ask for a page:\n\n    limit: z.number().int().max(50).default(10).describe("How many at most")',
  },
  TG8310: {
    title: 'Nobody is asked before something is destroyed',
    cause:
      'The tool is declared destructive, or its name has a verb such as delete, cancel, pay, send or publish, and it ' +
      'has no `confirmation`. A model that misunderstood, or that was talked into it by what it read, does the harm alone.',
    fix: 'Ask a person first:\n\n    confirmation: { prompt: "Cancel {{orderId}}?" }\n\nWhere it destroys nothing, or can be undone, say so with `destructive: false`.',
  },
  TG8311: {
    title: 'What is declared of a tool cannot be true',
    cause:
      'A tool is declared to change nothing (`readOnly`) and also to be destructive, or its name says that it deletes, sends ' +
      'or pays. Layers cache and repeat read-only calls, and clients run them without asking.',
    fix: 'Take out the declaration that is not so, or rename the tool.',
  },
  TG8312: {
    title: 'An agent has many tools',
    cause:
      'OpenAI advises to keep below 20 tools for one request, and other vendors say much the same: with more of them models ' +
      'choose worse, and every request pays for all. `toolgen tokens` says how much.',
    fix: 'Use what the agent needs alone, and give the rest to an agent of its own:\n\n    fromMcp(files, { only: ["readTextFile"] })',
  },
  TG8313: {
    title: 'A tool takes many fields',
    cause:
      'The more fields a call has, the more of them a model leaves out, mixes up or fills with guesses. The rule begins above 15.',
    fix: 'Split the tool by what people want to do with it, fill what the application knows with `serverOwned`, and leave out what nobody uses.',
  },
  TG8314: {
    title: 'Arguments are nested deeply',
    cause:
      'Objects stand more than four deep in each other. Models close braces too early and put fields on the wrong level; ' +
      'OpenAI takes ten levels at most in strict mode.',
    fix: 'Let the model send a flat payload; the use or a mapper builds what the service wants.',
  },
  TG8315: {
    title: 'A field takes anything',
    cause:
      'The schema of the field allows every value (`unknown`, `any`, `{}`), so that nothing tells the model what to send, and ' +
      'nothing refuses what does not fit. OpenAI takes such tools without strict mode alone.',
    fix: 'Give it a type; where several kinds of values are meant, a union of them.',
  },
  TG8316: {
    title: 'The name of a field could mean anything',
    cause:
      'The field is called `data`, `value`, `input` or the like, or has a number at the end that means nothing, and no ' +
      'description says what is meant.',
    fix: 'Call it what it holds (`summary` in place of `data`), or describe it.',
  },
  TG8317: {
    title: 'A flag does not say what true means',
    cause:
      'A boolean is called like a choice (`mode`, `format`, `order`), or begins with a negation, and its description does not ' +
      'say what true stands for. A model has an even chance.',
    fix: 'Make it an enum of the choices, or call it what is true of it: `includeDrafts`, `ascending`.',
  },
  TG8318: {
    title: 'The choices of a field are codes',
    cause:
      'The values of an enum are single characters or numbers, and no description says what each of them stands for.',
    fix: 'Take words for the values; a mapper gives the service its codes. Or list the meanings in the description.',
  },
  TG8319: {
    title: 'A quantity has no unit',
    cause:
      'A number is a duration, a distance, a price or the like, and neither its name nor its description nor a field beside ' +
      'it says in which unit. Seconds are taken for milliseconds then, and euros for cents.',
    fix: 'Put the unit into the name or the description:\n\n    timeoutMs: z.number().int().describe("How long to wait, in milliseconds")',
  },
  TG8320: {
    title: 'A difficult payload has no example',
    cause:
      'The payload has a choice between several objects, or objects deep in each other, and the tool has no example. Examples ' +
      'are checked against the payload, and a model that sent what does not fit is shown the first one.',
    fix: 'Add a small one:\n\n    examples: [{ target: { card: "4242" } }]',
  },
  TG8321: {
    title: 'A fixed message has a placeholder',
    cause: 'The `text` of an exported tool is the first message of the run as it stands. Braces in it reach the model.',
    fix: 'Write it as `template`, which is filled from the payload.',
  },
  TG8322: {
    title: 'A pattern is slow in other validators',
    cause:
      'The codecs of toolgen match every pattern in linear time. Other readers of the schema may not: the schema library of ' +
      'the design where it is passed as a check, MCP clients that validate results, validators of the service. Their regular ' +
      'expressions backtrack, and one short text can block the process. The rule takes texts apart that match the pattern and ' +
      'repeats their parts; it reports a text that a backtracking engine takes more than half a second to refuse. It does not ' +
      'find every slow pattern.',
    fix: 'Leave one way to match each part of a text: no repetition directly within another, no alternatives that begin alike.',
  },
  TG8323: {
    title: 'A text for models has characters that people do not see',
    cause:
      'Models read tag characters, bidirectional controls, zero-width and other invisible characters, rows of variation selectors, ' +
      'control characters and halves of surrogate pairs; people who review the text do not see them, or see the text in another ' +
      'order. Instructions can be hidden that way. The rule looks at names, titles, descriptions, values, defaults, examples and ' +
      'instructions. Characters that belong to what people see are no finding: emoji and flags, joiners in scripts such as Persian ' +
      'and Hindi, marks of direction in texts from right to left, forms of ideographs.',
    fix: 'Remove them. In a text that was imported, look at what it says without them first: `cat -v` prints them as escape sequences.',
  },
  TG8324: {
    title: 'An imported text gives the model an instruction',
    cause:
      'A description that somebody else wrote tells the model to hide something from its user, to leave its other instructions, or ' +
      'looks like another part of the conversation. The rule looks only at imported tools, and only for phrases that no description ' +
      'needs: "do not tell the user" (inform, notify, mention, reveal, show, report ...), "hide this from the user", "without the ' +
      'user\'s knowledge", "ignore previous instructions" (disregard, forget; all, prior, system ...), "ignore everything above", ' +
      '"print your system prompt", "from now on, you must", and tokens of chat templates such as `<|im_start|>`, `[INST]` and ' +
      '`<system>`. It finds no other wordings and no other languages: an import without a finding is not proven to be harmless.',
    fix: 'Read the whole text. Leave the tool out where you do not trust its source:\n\n    fromMcp(shop, { only: ["openAisle"] })\n\nWhere the text is meant well, give a reason at the agent:\n\n    lint: { "instruction-to-model": "internal ids are of no use to people" }',
  },
  TG8330: {
    title: 'OpenAI does not hold its models to the schema',
    cause:
      'In strict mode OpenAI makes its models send what fits the schema. Strict mode cannot say everything: fields of any ' +
      'name, values of any type, unions at the root. Such a tool is sent with `strict: false`, and arguments that do not fit ' +
      'are found by the codec alone, which costs a further turn. The finding lists the reasons and the schema that is sent; ' +
      '`--json` has both whole.',
    fix: 'Name the fields, close unions to objects, give types to what has none. For models of other vendors alone:\n\n    export default defineConfig({ design: "design/*.ts", lint: { vendors: ["anthropic"] } })',
  },
  TG8331: {
    title: "Anthropic's API refuses the tool",
    cause:
      'It takes field names of 1 to 64 letters, digits, `_`, `.` and `-`. A request with any other is refused as a whole.',
    fix: 'Rename the field in the design; the use gives it its old name for the service:\n\n    fromService(orders, client, { tools: { find: { rename: { email: "e-mail address" } } } })',
  },
  TG8332: {
    title: "Gemini's API refuses the tool",
    cause:
      'It takes names of functions that begin with a letter or `_`. A request with any other is refused as a whole.',
    fix: 'Give the tool another name for models:\n\n    toolName: "find_orders"',
  },
  TG8333: {
    title: 'An MCP server lists the tool in a weaker form',
    cause:
      "Clients of an MCP server pass the schema of the arguments to the API of their model. Anthropic's refuses a request in which " +
      'one tool has `oneOf`, `anyOf` or `allOf` at the root of its arguments, with all other tools. So the tool is listed as one ' +
      'object with the fields of all variants, and the description says which belong together. Calls are validated with the whole ' +
      'schema, so wrong combinations cost a further turn. The rule also finds results that no client can list.',
    fix: 'Make the payload one object with a field for the choice, or put the union into a field. For tools that no MCP server serves:\n\n    export default defineConfig({ design: "design/*.ts", lint: { vendors: ["openai"] } })',
  },
  TG8390: {
    title: 'What is silenced is no rule',
    cause:
      '`lint` of a tool, a toolset or an agent names a rule that `toolgen lint` does not have, so that it silences nothing.',
    fix: 'Correct the id, or remove the entry; the finding lists all rules.',
  },
  TG8391: {
    title: 'Nothing is there to be silenced',
    cause:
      'The design gives a reason for a finding that the rule does not have any more. Left in place, the entry would hide the ' +
      'next one.',
    fix: 'Remove the entry from `lint`.',
  },
}
