// swift-format-ignore-file

import Foundation
import TenureClient

// The sample of the documentation that apps are ported from, with values in the place of its placeholders. Product name
// and UI argument apart, nothing else is changed, so it is not formatted either.

/// What the sample has logged. The name shadows Foundation's function, so that the sample stays as it is.
@MainActor final class SampleLog {
    static let shared = SampleLog()
    var lines: [String] = []
}

@MainActor private func NSLog(_ line: String) { SampleLog.shared.lines.append(line) }

/// What stands for the placeholders of the sample.
struct SampleValues: Sendable {
    var app: TestApp
    var baseURL: String
    var company: String
    var employee: String
    var email: String
    var questions: [(question: String, answer: String)]
    var passphrase: String
}

/// Registers as the sample does.
func runSample(_ values: SampleValues) {
 let appCredentials : AppCredentials = AppCredentials(appId: values.app.appId, appSecret: values.app.secret, 
 appSalt: values.app.salt, baseURL: values.baseURL)
 
 TenureCore.sharedInstance().register(withCompanyName: values.company,
                                   companyEmployeeId: values.employee,
                                               email: values.email,
                                 isCompanyOwnedEmail:true,
                                 appCredentials: appCredentials,
                          newUserCredentialsCallback: {
        
        var securityQuestionsAnswers : [SecurityQuestionAnswer] = [SecurityQuestionAnswer]()
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:values.questions[0].question, answer: values.questions[0].answer))
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:values.questions[1].question, answer: values.questions[1].answer))
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:values.questions[2].question, answer: values.questions[2].answer))
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:values.questions[3].question, answer: values.questions[3].answer))
        securityQuestionsAnswers.append(SecurityQuestionAnswer(question:values.questions[4].question, answer: values.questions[4].answer))
        
        TenureCore.sharedInstance().setNewUserCredentials(securityQuestionsAnswers, passphrase: values.passphrase, authorizeEmployeeCallback:{ (employeePublicKey) in
          NSLog("Authorization of EmployeePublicKey is Pending")
        }, success: {
          NSLog("Registered With Tenure Successfully")
        }, failure: {(error) in
          NSLog("Tenure registration failed with Error")
        })
      }, securityQuestionsCallback: { (securityQuestions) in
        
        var securityAnswers : [SecurityAnswer] = [SecurityAnswer]()
        securityAnswers.append(SecurityAnswer(questionId: securityQuestions[0].questionId, answer: values.questions[0].answer))
        securityAnswers.append(SecurityAnswer(questionId: securityQuestions[1].questionId, answer: values.questions[1].answer))
        securityAnswers.append(SecurityAnswer(questionId: securityQuestions[2].questionId, answer: values.questions[2].answer))
        securityAnswers.append(SecurityAnswer(questionId: securityQuestions[3].questionId, answer: values.questions[3].answer))
        securityAnswers.append(SecurityAnswer(questionId: securityQuestions[4].questionId, answer: values.questions[4].answer))
        
        TenureCore.sharedInstance().validateSecurityQuestions(securityAnswers,
                                                             authorizeEmployeeCallback: { (employeePublicKey) in
          NSLog("Authorization of EmployeePublicKey is Pending")
        }, success: {
          NSLog("Security Questions are validated and registered with Tenure successfully.")
        }, failure: {(error) in
          NSLog("Security questions validation failed with error")
        })
        
      }, passphraseCallback: {
        
        TenureCore.sharedInstance().validatePassphrase(values.passphrase,
                                                      authorizeEmployeeCallback: { (employeePublicKey) in
          NSLog("Authorization of EmployeePublicKey is Pending")
          
        }, success: {
          NSLog("Passphrase is validated and registered with Tenure successfully.")
        }, failure: {(error) in
          NSLog("Passphrase validation failed with error")
        })
        
      }, authorizeEmployeeCallback: { (employeePublicKey) in
        NSLog("Authorization of EmployeePublicKey is Pending")
      }, success: {
        NSLog("Registered With Tenure Successfully")
      }, failure: { (error) in
        NSLog("Tenure registration failed with Error")
})
}
