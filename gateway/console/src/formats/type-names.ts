/** Column types of the API with their display names. */
export const typeNames: readonly (readonly [string, string])[] = [
  ['Text', 'Text'],
  ['Numeric', 'Number'],
  ['Int', 'Integer'],
  ['Bool', 'Checkbox'],
  ['Date', 'Date'],
  ['DateTime', 'Date and time'],
  ['Choice', 'Choice'],
  ['ChoiceList', 'Choice list'],
  ['Ref', 'Reference'],
  ['RefList', 'Reference list'],
  ['Attachments', 'Files'],
  ['Any', 'Any'],
]
