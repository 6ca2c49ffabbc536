package otlp

const (
	mlflowInputs = mlflowKeys + iota
	mlflowOutputs

	mlflowKeyCount = iota
)

var mlflowVocabulary = vocabulary{
	of: mlflow,
	words: []word{
		{"mlflow.spanInputs", mlflowInputs, shown},
		{"mlflow.spanOutputs", mlflowOutputs, shown},
	},
}
