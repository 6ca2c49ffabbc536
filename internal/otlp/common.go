package otlp

// Names of OpenTelemetry itself, and names so plain that several instrumentations use them.
const (
	userID = commonKeys + iota
	sessionID
	deploymentEnvironmentName
	deploymentEnvironment
	serviceName
	serviceVersion
	sdkLanguage
	plainInput
	plainOutput
	plainModel
	modelConfig

	commonKeyCount = iota
)

var commonVocabulary = vocabulary{
	of: common,
	words: []word{
		{"user.id", userID, stays},
		{"session.id", sessionID, stays},
		{"deployment.environment.name", deploymentEnvironmentName, stays},
		{"deployment.environment", deploymentEnvironment, stays},
		{"service.name", serviceName, stays},
		{"service.version", serviceVersion, stays},
		{"telemetry.sdk.language", sdkLanguage, stays},
		{"input", plainInput, shown},
		{"output", plainOutput, shown},
		{"model", plainModel, stays},
		{"model_config", modelConfig, stays},
	},
}
